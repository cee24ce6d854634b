package dev.sharding.demo;

import java.time.Duration;
import java.util.Locale;

/** How figures are written for people. */
final class Text {

	private Text() {
	}

	static String seconds(long millis) {
		return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
	}

	static String clock(Duration duration) {
		return String.format(Locale.ROOT, "%d:%02d", duration.toMinutes(), duration.toSecondsPart());
	}

	static String count(long number) {
		return String.format(Locale.ROOT, "%,d", number);
	}

}
