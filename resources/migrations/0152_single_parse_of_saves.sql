-- Saves and starts of runs parse their JSON once.
drop function if exists save_run_steps(json, text[], text[]);

\include ../functions;
