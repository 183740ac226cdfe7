"""The two-factor Gaussian model G2++ (Brigo and Mercurio)."""
