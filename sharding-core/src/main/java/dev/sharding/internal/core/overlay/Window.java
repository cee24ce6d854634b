package dev.sharding.internal.core.overlay;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import dev.sharding.internal.core.overlay.EchoProof.Verdict;

/**
 * The event-filter window of one key: the own writes whose echo is still to come, and the
 * events that are held until it is known whether they are such an echo.
 */
final class Window<K, T> {

	private final List<Flight<K, T>> flights = new ArrayList<>(1);

	private final List<Held<T>> held = new ArrayList<>(0);

	boolean isEmpty() {
		return this.flights.isEmpty() && this.held.isEmpty();
	}

	List<Held<T>> held() {
		return this.held;
	}

	void add(Flight<K, T> flight) {
		this.flights.add(flight);
	}

	void remove(Flight<K, T> flight) {
		this.flights.remove(flight);
	}

	void removeEchoed(String version) {
		this.flights.removeIf((flight) -> {
			boolean passed = FeedPosition.notOlder(version, flight.version());
			if (passed) {
				flight.passEcho();
			}
			return passed;
		});
	}

	/*
	 * An event behind a held one waits as well, so that each writer sees the versions in
	 * order.
	 */
	void offer(ObservedEvent<T> event, boolean relist, EchoProof<K, T> proof, List<Flight<K, T>> unnamed, long now,
			List<Emission<T>> out) {
		Set<Object> except = new HashSet<>(2);
		for (Object writer : writers(unnamed)) {
			Verdict verdict = verdict(writer, event, relist, proof, unnamed);
			if (verdict == Verdict.OWN) {
				except.add(writer);
			}
			else if (verdict == Verdict.POSSIBLE || holdsFor(writer)) {
				except.add(writer);
				this.held.add(new Held<>(event, relist, writer, now));
			}
		}
		out.add(Emission.toAllBut(Set.copyOf(except), event));
	}

	void reconsider(EchoProof<K, T> proof, List<Flight<K, T>> unnamed, List<Emission<T>> out) {
		if (this.held.isEmpty()) {
			return;
		}
		Set<Object> waiting = new HashSet<>();
		for (Iterator<Held<T>> iterator = this.held.iterator(); iterator.hasNext();) {
			Held<T> next = iterator.next();
			Verdict verdict = verdict(next.writer(), next.event(), next.relist(), proof, unnamed);
			if (verdict == Verdict.POSSIBLE) {
				waiting.add(next.writer());
			}
			else if (verdict == Verdict.OWN) {
				iterator.remove();
			}
			else if (!waiting.contains(next.writer())) {
				iterator.remove();
				out.add(Emission.onlyTo(next.writer(), next.event()));
			}
		}
	}

	void release(List<Emission<T>> out) {
		this.held.forEach((held) -> out.add(Emission.onlyTo(held.writer(), held.event())));
		this.held.clear();
	}

	private Verdict verdict(Object writer, ObservedEvent<T> event, boolean relist, EchoProof<K, T> proof,
			List<Flight<K, T>> unnamed) {
		Verdict named = best(this.flights, writer, event, relist, proof);
		Verdict best = best(unnamed, writer, event, relist, proof);
		return (named.compareTo(best) > 0) ? named : best;
	}

	private static <K, T> Verdict best(List<Flight<K, T>> flights, Object writer, ObservedEvent<T> event,
			boolean relist, EchoProof<K, T> proof) {
		Verdict best = Verdict.FOREIGN;
		for (Flight<K, T> flight : flights) {
			if (best != Verdict.OWN && flight.write.writer().equals(writer)) {
				Verdict verdict = proof.judge(flight, event, relist);
				best = (verdict.compareTo(best) > 0) ? verdict : best;
			}
		}
		return best;
	}

	private Set<Object> writers(List<Flight<K, T>> unnamed) {
		if (this.held.isEmpty() && unnamed.isEmpty() && this.flights.size() == 1) {
			return Set.of(this.flights.get(0).write.writer());
		}
		Set<Object> writers = new LinkedHashSet<>();
		this.held.forEach((held) -> writers.add(held.writer()));
		this.flights.forEach((flight) -> writers.add(flight.write.writer()));
		unnamed.forEach((flight) -> writers.add(flight.write.writer()));
		return writers;
	}

	private boolean holdsFor(Object writer) {
		return this.held.stream().anyMatch((held) -> held.writer().equals(writer));
	}

	/**
	 * An event that waits for the answer to a write of {@code writer}.
	 */
	record Held<T>(ObservedEvent<T> event, boolean relist, Object writer, long since) {
	}

}
