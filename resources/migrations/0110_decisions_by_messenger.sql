-- Audit entries of decisions name the messenger by which a person decided.
drop function if exists close_approval(text, text, text, text, text, text, text, text, text, text, text, text, text);

\include ../functions;
