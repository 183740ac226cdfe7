"""Models: parameters in, prices and their exact derivatives out."""
