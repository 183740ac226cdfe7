"""Hull-White with one factor: G2++ whose second factor never moves."""
