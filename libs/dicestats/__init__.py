"""What the rolls of the dice service look like taken together, and whether fair dice look like that."""
