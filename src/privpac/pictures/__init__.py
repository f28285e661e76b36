"""Rules as pictures: one drawing, as SVG or PNG."""
