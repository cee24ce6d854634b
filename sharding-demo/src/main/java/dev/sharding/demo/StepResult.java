package dev.sharding.demo;

/**
 * A step that is over.
 *
 * @param title what was done
 * @param millis how long it took until all was quiet again
 * @param note what happened to the objects
 * @param settled whether everything was in its place in time
 */
record StepResult(String title, long millis, String note, boolean settled) {
}
