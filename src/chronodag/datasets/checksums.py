"""SHA-256 of the files that loaders accept, and how to read one."""

import hashlib
from pathlib import Path

from chronodag.errors import DataError

NETSIM_SERIES = {
    1: "f1e041693576ea03ef8792df62112a4d8500287c96bb7b19a478184deb7d89e0",
    5: "ba6d6ff1deaae5bf21a282f70ae5edea677bd75808575b5eafa9b2e9c4a2ab41",
    7: "f3b2013dc521e77025f57eeafe86bc017ddbc6a5d7da7e81d5678d48a0c67ec0",
    8: "9f3373f09405201711fb7cbb59d55bc9b23305f64e7fd15dd45db347f5fec76c",
    9: "e2baa6de16e09e59ceca29187f02b066b8a23b282c58882a190e0d00e14c829d",
    10: "5825353d2e2cc743cb0a0464cf4f54c4d7fdc76787e6bacf1423071480e0c050",
    13: "3eb9362a740cb9e3913f52a6cb747916b35a2c5f9b92d9274b59db0efb300bf7",
    14: "ccc7fe48dab184739f03f894b07cba88e16654aa4edb1fcd81dda86c77956e50",
    15: "9d9a19ddf2bad96a5412aca3cb81754330769e5c8ae465513fbec2980acab714",
    16: "0559490d624a0bdc24f9177841cb4a9fce6fb7e400d5379c952bf785c45b91b8",
    18: "e9f65cb1a4ccdd5f72dff3f88b0055d8b44eb29b4d199b3e19a95d6633e491a9",
    21: "f1e041693576ea03ef8792df62112a4d8500287c96bb7b19a478184deb7d89e0",
    22: "3331bd0a696056932f056b7ee401ee60c21dd1461094e8ae9cacaecb8df162d1",
    23: "2a6ca614d60a54b50f3f42f65ef6625b30b6f464988482675180389fd5534689",
    24: "eabd410012161ae7aeb4033433ca25f2cd19d9bc88af1f5415ee1bbbf245576c",
}
"""By number of the simulation: the bytes of `simN.csv`. Simulations 1 and 21 are the same bytes."""

_SAME_RING = "2477a4b564a5b2a9bdc931ede273e9653d81ac13d8b71c01ef436618d07c3c78"
NETSIM_TRUTHS = dict.fromkeys(NETSIM_SERIES, _SAME_RING) | {
    13: "69905cac99d39e0f482d67fcc7ef8600e82c84f410a7b2777e7de60e0f40e276",
    14: "ccf280464bab239176a430294ea9decb0abc84cc92963700db57b24c1f09af5e",
    16: "34ac1c0f4bbec643c3dabbb13378bd78e76700e1b9a93b17e6d0ccd9b848a448",
}
"""By number: the bytes of `simN_truth_tcdf.csv`; most simulations share one network."""


def read_checked(path: Path, expected: str, help_text: str, *, verify: bool) -> str:
    """Return the text of a file whose checksum is the expected one; `verify=False` trusts it."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"There is no file {str(path)!r}. {help_text}") from None
    except OSError as error:
        raise DataError(f"{str(path)!r} cannot be read: {error.strerror}. {help_text}") from None
    found = hashlib.sha256(content).hexdigest()
    if verify and found != expected:
        raise DataError(
            f"{str(path)!r} has the SHA-256 {found[:16]}…; expected {expected[:16]}…. The file "
            f"differs from the one that published figures rest on. {help_text} To use the file "
            "as it is, say verify=False."
        )
    return content.decode("utf-8-sig")
