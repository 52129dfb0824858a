"""The whole system on one machine: what it consists of, its keys, its processes."""
