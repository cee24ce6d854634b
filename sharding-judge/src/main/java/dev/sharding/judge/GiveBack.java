package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * What a Lease says of how long the objects of its shard wait for the next holder
 * (docs/protocol, section 3.4).
 *
 * @param marked whether its holder has given it back as it stands now: the mark names
 * what the Lease says
 * @param grace for how long the objects wait then
 * @param start since when nobody has served them for one grace, null if it does not say
 */
record GiveBack(boolean marked, Duration grace, @Nullable Instant start) {

	static final GiveBack NONE = new GiveBack(false, Duration.ZERO, null);

	private static final String PREFIX = "sharding.dev/";

	private static final long LONGEST_GRACE = 300;

	/**
	 * @param metadata of the Lease
	 * @param spec of the Lease
	 */
	static GiveBack of(JsonNode metadata, JsonNode spec) {
		JsonNode annotations = metadata.path("annotations");
		Map<String, String> noted = AuditLog.texts(annotations);
		String mark = noted.getOrDefault(PREFIX + "given-back", "");
		Instant renewed = AuditLog.instant(spec.path("renewTime").asText(""));
		boolean released = spec.path("holderIdentity").asText("").isEmpty() && renewed != null
				&& renewed.equals(AuditLog.instant(spec.path("acquireTime").asText("")))
				&& spec.path("leaseDurationSeconds").asInt() == 1;
		String said = spec.path("leaseTransitions").asInt() + "/" + renewed + "/" + metadata.path("uid").asText();
		boolean ours = noted.containsKey(PREFIX + "instance-id");
		return new GiveBack(ours && released && mark.equals(said), grace(noted.getOrDefault(PREFIX + "grace", "")),
				start(noted.getOrDefault(PREFIX + "grace-start", "")));
	}

	private static @Nullable Instant start(String noted) {
		try {
			return AuditLog.instant(noted);
		}
		catch (DateTimeParseException ex) {
			// Whoever edits it by hand says nothing.
			return null;
		}
	}

	private static Duration grace(String seconds) {
		boolean number = seconds.matches("\\d{1,9}");
		return Duration.ofSeconds(number ? Math.min(LONGEST_GRACE, Long.parseLong(seconds)) : 0);
	}

	/** Whether the objects wait for the next holder. */
	boolean isWaitedFor() {
		return this.marked && !this.grace.isZero();
	}

}
