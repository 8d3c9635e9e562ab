\include ../functions;
