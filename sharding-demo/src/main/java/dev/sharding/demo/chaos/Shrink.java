package dev.sharding.demo.chaos;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Delta debugging: makes a list that makes something fail smaller, until nothing of it
 * can be left out without that it fails no more. Each candidate is tried several times,
 * as what fails by a race fails now and then only; one that failed once fails.
 *
 * @param <T> what lists are of
 */
final class Shrink<T> {

	/** How often each candidate is tried. */
	static final int TRIES = 3;

	private final Trial<T> trial;

	private final int most;

	private final Map<List<T>, Rate> tried = new HashMap<>();

	/**
	 * @param trial tries a candidate once
	 * @param most how many candidates are tried at most
	 */
	Shrink(Trial<T> trial, int most) {
		this.trial = trial;
		this.most = most;
	}

	/**
	 * The smallest list that was found to fail.
	 * @param all what has failed
	 */
	Shrunk<T> of(List<T> all) throws Exception {
		Rate rate = rate(all);
		if (rate.failed() == 0) {
			return new Shrunk<>(List.copyOf(all), rate, this.tried.size());
		}
		List<T> smallest = List.copyOf(all);
		int parts = 2;
		while (!smallest.isEmpty()) {
			List<T> smaller = smaller(smallest, parts);
			if (smaller != null) {
				smallest = smaller;
				parts = Math.max(2, Math.min(parts - 1, smallest.size()));
			}
			else if (parts < smallest.size()) {
				parts = Math.min(smallest.size(), parts * 2);
			}
			else {
				break;
			}
		}
		return new Shrunk<>(smallest, rate(smallest), this.tried.size());
	}

	/** A part of the list that fails, or all but a part; null if none does. */
	private @Nullable List<T> smaller(List<T> list, int parts) throws Exception {
		List<List<T>> candidates = new ArrayList<>();
		List<List<T>> without = new ArrayList<>();
		for (int part = 0; part < parts; part++) {
			int from = list.size() * part / parts;
			int to = list.size() * (part + 1) / parts;
			List<T> rest = new ArrayList<>(list.subList(0, from));
			rest.addAll(list.subList(to, list.size()));
			candidates.add(List.copyOf(list.subList(from, to)));
			without.add(List.copyOf(rest));
		}
		candidates.addAll(without);
		for (List<T> candidate : candidates) {
			if (candidate.size() < list.size() && rate(candidate).failed() > 0) {
				return candidate;
			}
		}
		return null;
	}

	private Rate rate(List<T> candidate) throws Exception {
		Rate known = this.tried.get(candidate);
		if (known != null) {
			return known;
		}
		if (this.tried.size() >= this.most) {
			return new Rate(0, 0);
		}
		int failed = 0;
		for (int turn = 0; turn < TRIES; turn++) {
			failed += this.trial.fails(candidate) ? 1 : 0;
		}
		Rate rate = new Rate(failed, TRIES);
		this.tried.put(candidate, rate);
		return rate;
	}

	/**
	 * Tries.
	 *
	 * @param <T> what lists are of
	 */
	interface Trial<T> {

		/** Whether it failed this time. */
		boolean fails(List<T> candidate) throws Exception;

	}

	/** How often a candidate failed, of how many times that it was tried. */
	record Rate(int failed, int tries) {

		@Override
		public String toString() {
			return this.failed + " of " + this.tries;
		}

	}

	/**
	 * What came of it.
	 *
	 * @param smallest fails, and nothing of it can be left out; all if not even that
	 * failed
	 * @param rate how often it failed
	 * @param candidates how many candidates were tried
	 * @param <T> what lists are of
	 */
	record Shrunk<T>(List<T> smallest, Rate rate, int candidates) {
	}

}
