"""The global search for G2++, compiled: cone, pairs, descents, and what they stand on."""
