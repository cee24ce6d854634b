package dev.sharding.internal.core.assignment;

import java.util.Comparator;

import org.jspecify.annotations.Nullable;

/**
 * A request that is on its way.
 *
 * @param by whose
 * @param version that it applies to
 * @param to who gets the object
 * @param awaited whether its sender waits for the answer
 */
record Flight(String by, What what, int version, @Nullable String to, boolean awaited) implements Comparable<Flight> {

	private static final Comparator<Flight> ORDER = Comparator.comparing(Flight::by)
		.thenComparing(Flight::what)
		.thenComparing(Flight::version)
		.thenComparing(Flight::awaited)
		.thenComparing((flight) -> String.valueOf(flight.to));

	@Override
	public int compareTo(Flight other) {
		return ORDER.compare(this, other);
	}

	Flight at(int other) {
		return new Flight(this.by, this.what, other, this.to, this.awaited);
	}

	/** Whether a sharder sent it that still leads. */
	boolean isOfSharder() {
		return this.by.equals(DrainSharder.NAME) || this.by.equals(DrainSharder.PASS);
	}

	Flight forgotten(String name) {
		return new Flight(name, this.what, this.version, this.to, false);
	}

	/** What a request is about. */
	enum What {

		WRITE_MAIN, WRITE_CHILD, CREATE_CHILD, ACKNOWLEDGE, DRAIN, GIVE_MAIN, GIVE_CHILD;

		boolean ofMain() {
			return this == WRITE_MAIN || this == ACKNOWLEDGE || this == DRAIN || this == GIVE_MAIN;
		}

	}

}
