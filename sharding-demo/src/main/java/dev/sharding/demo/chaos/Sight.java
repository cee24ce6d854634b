package dev.sharding.demo.chaos;

import java.util.Locale;

/** What the audit log can show of a ring, for a fault to begin with. */
enum Sight {

	/** An object is to be let go. */
	DRAIN,
	/** An object got an owner. */
	MOVE,
	/** The sharder took the Lease of a shard. */
	TAKE;

	String text() {
		return name().toLowerCase(Locale.ROOT);
	}

	static Sight of(String text) {
		return valueOf(text.toUpperCase(Locale.ROOT));
	}

}
