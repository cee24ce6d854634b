package dev.sharding.demo.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * Judges whether processes need more and more. The slope of a process is the median of
 * the slopes between each two of its quiet points, so that no single one decides, and it
 * is judged from the fourth point on, when a program has loaded what it needs. What goes
 * up and down has such a slope at times, so that most points of the second half must also
 * be above all of the first one.
 */
final class Growth {

	/** How many quiet points of a process do not count. */
	static final int WARM_UP = 3;

	/** From how many points on there is a slope. */
	static final int POINTS = 5;

	private static final List<Bound> BOUNDS = List.of(new Bound("KiB resident", Sample::residentKiB, 3 * 1024),
			new Bound("threads", Sample::threads, 1), new Bound("descriptors", Sample::descriptors, 2));

	private Growth() {
	}

	/** How many processes lived for long enough to be judged. */
	static int judged(List<Sample> samples) {
		return (int) processes(samples).values().stream().filter((all) -> all.size() >= WARM_UP + POINTS).count();
	}

	private static Map<String, List<Sample>> processes(List<Sample> samples) {
		Map<String, List<Sample>> processes = new TreeMap<>();
		samples.forEach((sample) -> processes
			.computeIfAbsent(sample.process() + " (" + sample.pid() + ")", (process) -> new ArrayList<>())
			.add(sample));
		return processes;
	}

	/** What grows, in words. */
	static List<String> of(List<Sample> samples) {
		List<String> growing = new ArrayList<>();
		processes(samples).forEach((process, all) -> {
			List<Sample> warm = all.subList(Math.min(WARM_UP, all.size()), all.size());
			for (Bound bound : BOUNDS) {
				double slope = (warm.size() >= POINTS) ? slope(warm, bound.what()) : 0;
				if (slope > bound.aMinute() && risen(all, bound.what())) {
					growing.add("%s needs %.1f %s more each minute, and may need %d".formatted(process, slope,
							bound.name(), bound.aMinute()));
				}
			}
		});
		return growing;
	}

	private static boolean risen(List<Sample> samples, ToLongFunction<Sample> what) {
		int half = samples.size() / 2;
		long highest = samples.subList(0, half).stream().mapToLong(what).max().orElse(0);
		List<Sample> later = samples.subList(half, samples.size());
		return later.stream().mapToLong(what).filter((value) -> value > highest).count() > later.size() / 2;
	}

	/** A minute. */
	static double slope(List<Sample> samples, ToLongFunction<Sample> what) {
		List<Double> slopes = new ArrayList<>();
		for (int i = 0; i < samples.size(); i++) {
			for (int j = i + 1; j < samples.size(); j++) {
				double minutes = (double) samples.get(j).minute() - samples.get(i).minute();
				slopes.add((what.applyAsLong(samples.get(j)) - what.applyAsLong(samples.get(i))) / minutes);
			}
		}
		slopes.sort(null);
		int middle = slopes.size() / 2;
		return (slopes.size() % 2 == 1) ? slopes.get(middle) : (slopes.get(middle - 1) + slopes.get(middle)) / 2;
	}

	/** What a process needs at a quiet point. */
	record Sample(int minute, String process, long pid, long residentKiB, long threads, long descriptors) {
	}

	private record Bound(String name, ToLongFunction<Sample> what, long aMinute) {
	}

}
