/** The environment variable with the folder for recorded blocks. Each process writes a file named by its process id. */
export const LOOP_FOLDER = 'BENCH_LOOP_FOLDER';
