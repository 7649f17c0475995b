"""Measurements that the documentation quotes; nothing here is imported by the package."""
