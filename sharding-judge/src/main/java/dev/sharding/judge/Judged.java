package dev.sharding.judge;

import java.util.List;

/**
 * What the judge says of a run, with what it saw.
 *
 * @param findings all that was found, empty if all counters are zero
 * @param exposure how much could have gone wrong
 * @param courses how the objects of each ring were divided over time
 */
public record Judged(List<Finding> findings, Exposure exposure, List<Course> courses) {
}
