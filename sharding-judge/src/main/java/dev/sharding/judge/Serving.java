package dev.sharding.judge;

import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * When what is made of a main object showed each of its states: its data, of that version
 * or of a later one. What does not say which version it was made from shows whatever has
 * its data, for as long as it stays as it is.
 */
final class Serving {

	private final List<Revision> states;

	/** Of each state the first one from which on users see the same. */
	private final int[] begins;

	private final List<Served> served = new ArrayList<>();

	Serving(ObjectRef object, History history, Derived derived) {
		this.states = history.of(object);
		this.begins = new int[this.states.size()];
		for (int i = 0; i < this.begins.length; i++) {
			this.begins[i] = begin(i);
		}
		for (ObjectRef child : derived.of(object)) {
			List<Revision> made = history.of(child)
				.stream()
				.filter((revision) -> revision.body() == null || !revision.body().metadataOnly())
				.toList();
			for (int i = 0; i < made.size(); i++) {
				add(made.get(i), (i + 1 < made.size()) ? made.get(i + 1).completed() : Instant.MAX);
			}
		}
	}

	private int begin(int state) {
		int begin = state;
		Body body = this.states.get(state).body();
		for (int i = state - 1; i >= 0 && body != null && isSame(this.states.get(i).body(), body); i--) {
			begin = isDue(i) ? i : begin;
		}
		return begin;
	}

	private static boolean isSame(@Nullable Body before, Body body) {
		return before != null && before.uid().equals(body.uid()) && before.usersLabels().equals(body.usersLabels())
				&& (before.metadataOnly() || before.data().equals(body.data()));
	}

	/**
	 * @param until when something else was there
	 */
	private void add(Revision made, Instant until) {
		Body body = made.body();
		if (body == null) {
			return;
		}
		if (!body.stamp().isEmpty()) {
			int state = madeFrom(body, new BigInteger(body.stamp()));
			this.served.add(new Served(state, made.completed()));
			return;
		}
		for (int i = 0; i < this.states.size(); i++) {
			Instant from = this.states.get(i).received();
			Instant at = from.isAfter(made.completed()) ? from : made.completed();
			if (shows(body.data(), i) && at.isBefore(until)) {
				this.served.add(new Served(i, at));
			}
		}
	}

	/**
	 * The last state with that data up to the version that it says; of a version that no
	 * answer tells of, the last one with that data. -1 if there is none.
	 */
	private int madeFrom(Body body, BigInteger stamp) {
		boolean told = this.states.stream().anyMatch((state) -> stamp.equals(version(state)));
		int from = -1;
		for (int i = 0; i < this.states.size(); i++) {
			BigInteger version = version(this.states.get(i));
			boolean later = told && version != null && version.compareTo(stamp) > 0;
			from = (shows(body.data(), i) && !later) ? i : from;
		}
		return from;
	}

	private boolean shows(Map<String, String> data, int state) {
		Body body = this.states.get(state).body();
		return isDue(state) && body != null && body.data().equals(data);
	}

	private static @Nullable BigInteger version(Revision state) {
		return (state.body() != null) ? new BigInteger(state.body().resourceVersion()) : null;
	}

	List<Revision> states() {
		return this.states;
	}

	/** Whether there is something of a state to be shown. */
	boolean isDue(int state) {
		Body body = this.states.get(state).body();
		return body != null && !body.data().isEmpty();
	}

	/** Whether a state shows users something else than the one before. */
	boolean isChange(int state) {
		return isDue(state) && this.begins[state] == state;
	}

	/** Since when a state, or a later one, was shown; null if it never was. */
	@Nullable Instant at(int state) {
		return this.served.stream()
			.filter((one) -> one.state() >= this.begins[state])
			.map(Served::at)
			.min(Instant::compareTo)
			.orElse(null);
	}

	private record Served(int state, Instant at) {
	}

}
