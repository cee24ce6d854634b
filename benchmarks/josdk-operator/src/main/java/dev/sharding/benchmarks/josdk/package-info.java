/**
 * The checksum job as a java-operator-sdk operator, the other side of the runtime
 * benchmark. In: the Secrets that the benchmark writes.
 * Out: a ConfigMap with their checksums.
 */
package dev.sharding.benchmarks.josdk;
