-- return_time locks a workspace's devices before the workspace, in the order of all transactions that lock both.
set local check_function_bodies = off;

\include ../functions;
