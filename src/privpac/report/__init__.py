"""A model for people: in a few lines, as pictures, as one HTML page; and for programs, as an ONNX graph."""
