/** The variable that names the folder in which each process writes its blocks, in a file named by its id. */
export const LOOP_FOLDER = 'BENCH_LOOP_FOLDER';
