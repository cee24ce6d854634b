package dev.sharding.judge;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** When what is made of a main object showed each of its states. */
final class Serving {

	private final List<Revision> states;

	private final List<Served> served = new ArrayList<>();

	Serving(ObjectRef object, History history, Derived derived) {
		this.states = history.of(object);
		Map<Map<String, String>, Integer> last = new HashMap<>();
		for (int i = 0; i < this.states.size(); i++) {
			Body body = this.states.get(i).body();
			if (body != null && isDue(i)) {
				last.put(body.data(), i);
			}
		}
		for (ObjectRef child : derived.of(object)) {
			for (Revision revision : history.of(child)) {
				Integer state = (revision.body() != null) ? last.get(revision.body().data()) : null;
				if (state != null) {
					this.served.add(new Served(state, revision.completed()));
				}
			}
		}
	}

	List<Revision> states() {
		return this.states;
	}

	/** Whether there is something of a state to be shown. */
	boolean isDue(int state) {
		Body body = this.states.get(state).body();
		return body != null && !body.data().isEmpty();
	}

	/** Since when a state, or a later one, was shown; null if it never was. */
	@Nullable Instant at(int state) {
		return this.served.stream()
			.filter((one) -> one.state() >= state)
			.map(Served::at)
			.min(Instant::compareTo)
			.orElse(null);
	}

	private record Served(int state, Instant at) {
	}

}
