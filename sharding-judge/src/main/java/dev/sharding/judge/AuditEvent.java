package dev.sharding.judge;

import java.time.Instant;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * One finished request, as the API server wrote it down.
 *
 * @param received when the API server received the request
 * @param completed when its response was complete
 * @param user who sent it
 * @param verb API verb, such as {@code patch}
 * @param object what it was about
 * @param code status of the response
 * @param dryRun true if nothing was to be stored
 * @param request the object (or patch) that was sent, null if none was logged
 * @param response the object in the response, null if none was logged or the request
 * failed
 */
record AuditEvent(Instant received, Instant completed, String user, String verb, ObjectRef object, int code,
		boolean dryRun, @Nullable Body request, @Nullable Body response) {

	/**
	 * Users of shard processes: a ServiceAccount called {@code shard.NAME}, or
	 * {@code shard.NAME.process-N} where several processes have one name in turn.
	 */
	private static final Pattern SHARD_USER = Pattern.compile("(?:.*:)?shard\\.(.+?)(?:\\.process-\\d+)?");

	private static final int BAD_REQUEST = 400;

	private static final int NOT_FOUND = 404;

	private static final int CONFLICT = 409;

	private static final Set<String> MUTATING = Set.of("create", "update", "patch", "delete", "deletecollection");

	/** Questions that are asked with a POST and store nothing. */
	private static final Set<String> QUESTIONS = Set.of("authorization.k8s.io", "authentication.k8s.io");

	boolean mutating() {
		return MUTATING.contains(this.verb) && !QUESTIONS.contains(this.object.group());
	}

	/**
	 * Its sender kept the body back after the head was sent: a fence that closed in
	 * between. There was nothing to be stored.
	 */
	boolean withoutBody() {
		return this.code == BAD_REQUEST && this.request == null;
	}

	/**
	 * It met another state of the object than its sender knew, and changed nothing: so
	 * ends an acknowledgement that comes too late.
	 */
	boolean lostRace() {
		return this.code == NOT_FOUND || this.code == CONFLICT;
	}

	boolean succeeded() {
		return this.code >= 200 && this.code < 300;
	}

	boolean changesState() {
		return mutating() && succeeded() && !this.dryRun;
	}

	boolean onLease() {
		return this.object.group().equals("coordination.k8s.io") && this.object.resource().equals("leases");
	}

	/** The shard whose process sent the request, null if no shard did. */
	@Nullable String shard() {
		Matcher matcher = SHARD_USER.matcher(this.user);
		return matcher.matches() ? matcher.group(1) : null;
	}

	@Override
	public String toString() {
		return "%s by %s received %s completed %s code %d".formatted(this.verb + " " + this.object, this.user,
				this.received, this.completed, this.code);
	}

}
