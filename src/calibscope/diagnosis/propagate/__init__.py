"""What uncertain parameters mean for the numbers made from them."""
