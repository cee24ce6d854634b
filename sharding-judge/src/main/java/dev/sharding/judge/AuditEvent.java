package dev.sharding.judge;

import java.math.BigInteger;
import java.time.Instant;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * One request, as the API server wrote it down.
 *
 * @param received when the API server received the request
 * @param completed when its response was complete; of a request that was never answered,
 * by when it must have taken effect if it did at all
 * @param user who sent it: each process is a user of its own
 * @param verb API verb, such as {@code patch}
 * @param object what it was about
 * @param code status of the response, 0 if there was none: nobody knows what became of it
 * @param dryRun true if nothing was to be stored
 * @param request the object (or patch) that was sent, null if none was logged
 * @param response the object in the response, null if none was logged or the request
 * failed
 * @param selector the label selector of a list or watch, empty without, and {@link #ONE}
 * for any one object
 * @param slot the name of the Lease by which its process was a shard then, null if
 * nothing tells another than the name of its user
 */
record AuditEvent(Instant received, Instant completed, String user, String verb, ObjectRef object, int code,
		boolean dryRun, @Nullable Body request, @Nullable Body response, String selector, @Nullable String slot) {

	/**
	 * Users of shard processes: a ServiceAccount called {@code shard.NAME}, or
	 * {@code shard.NAME.process-N} where several processes have one name in turn.
	 */
	private static final Pattern SHARD_USER = Pattern.compile("(?:.*:)?shard\\.(.+?)(?:\\.process-\\d+)?");

	/** Users of sharder processes, in the same way. */
	private static final Pattern SHARDER_USER = Pattern.compile("(?:.*:)?sharder(?:\\.process-\\d+)?");

	/** In place of the selector of a list of one object without one. */
	static final String ONE = "?limit=1";

	private static final int OK = 200;

	private static final int BAD_REQUEST = 400;

	private static final int SERVER_ERROR = 500;

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

	/** The same, when the API server has said elsewhere that there was no body. */
	AuditEvent bodyKeptBack() {
		return new AuditEvent(this.received, this.completed, this.user, this.verb, this.object, BAD_REQUEST,
				this.dryRun, null, null, this.selector, this.slot);
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

	/**
	 * Whether its outcome is unknown: there was no answer, or one of a server in trouble.
	 */
	boolean unanswered() {
		return this.code == 0 || this.code >= SERVER_ERROR;
	}

	/** Whether it changed something, or may have. */
	boolean mayHaveTakenEffect() {
		return changesState() || unanswered() && mutating() && !this.dryRun;
	}

	/**
	 * Whether it may have taken effect after that state was stored. All objects have
	 * their versions from one etcd, which counts them in the order of its writes. Where
	 * one of the two has none, every moment between received and completed counts.
	 */
	boolean mayHaveTakenEffectAfter(AuditEvent other) {
		BigInteger version = version();
		BigInteger others = other.version();
		if (!mayHaveTakenEffect()) {
			return false;
		}
		Body last = lastState();
		if (last != null && this.object.equals(other.object)) {
			// It is the last of that object, in whichever version it was asked for.
			return other.response == null || last.uid().equals(other.response.uid());
		}
		return (version != null && others != null && last == null) ? version.compareTo(others) > 0
				: this.completed.isAfter(other.received());
	}

	/**
	 * The answer, if the request took off what a deleted object still waited for, else
	 * null. It bears the version that the request named, and none of its own.
	 */
	@Nullable Body lastState() {
		return (changesState() && this.response != null && this.response.gone()) ? this.response : null;
	}

	/** Version of what it stored, null if nothing tells. */
	@Nullable BigInteger version() {
		return (changesState() && this.response != null && !this.response.resourceVersion().isEmpty()
				&& !this.verb.equals("delete")) ? new BigInteger(this.response.resourceVersion()) : null;
	}

	boolean changesState() {
		return mutating() && succeeded() && !this.dryRun;
	}

	boolean listsOrWatches() {
		return this.verb.equals("list") || this.verb.equals("watch");
	}

	/** Whether it asks for one object by its name alone, which may be with a list. */
	boolean reads() {
		return (this.verb.equals("get") || this.verb.equals("list") && this.selector.isEmpty())
				&& !this.object.name().isEmpty();
	}

	/** Whether it is a list of one object, whichever: to learn the version of now. */
	boolean asksForVersion() {
		return this.verb.equals("list") && this.selector.equals(ONE);
	}

	/** Whether a list or watch asks only for what bears that label with that value. */
	boolean selects(String label, String value) {
		return Set.of(this.selector.split(",")).contains(label + "=" + value);
	}

	/**
	 * Whether it gave an object that bears that label with that value another version,
	 * and changed nothing else; or would have, had the object not had another one.
	 */
	boolean touches(String label, String value) {
		return this.request != null && this.request.touch()
				&& (lostRace() || this.response != null && value.equals(this.response.labels().get(label)));
	}

	boolean onLease() {
		return this.object.isLease();
	}

	/**
	 * The shard whose process sent the request, null if no shard did: the name of the
	 * Lease that this process held then, else the one that its user has.
	 */
	@Nullable String shard() {
		if (this.slot != null) {
			return this.slot;
		}
		Matcher matcher = SHARD_USER.matcher(this.user);
		return matcher.matches() ? matcher.group(1) : null;
	}

	/** The same, by a process that was a shard by that Lease. */
	AuditEvent bySlot(String lease) {
		return new AuditEvent(this.received, this.completed, this.user, this.verb, this.object, this.code, this.dryRun,
				this.request, this.response, this.selector, lease);
	}

	/** Whether a process of the sharder sent the request. */
	boolean bySharder() {
		return SHARDER_USER.matcher(this.user).matches();
	}

	/** The same, when something else has shown what it stored. */
	AuditEvent tookEffect(Body stored) {
		return new AuditEvent(this.received, this.completed, this.user, this.verb, this.object, OK, this.dryRun,
				this.request, stored, this.selector, this.slot);
	}

	/**
	 * The same, where it was never answered, with a moment by which it must have taken
	 * effect if it did at all.
	 */
	AuditEvent unansweredBy(Instant moment) {
		return unanswered() ? endedBy(moment) : this;
	}

	/** The same, with a moment by which it must have taken effect. */
	AuditEvent endedBy(Instant moment) {
		boolean earlier = moment.isAfter(this.received) && moment.isBefore(this.completed);
		return !earlier ? this : new AuditEvent(this.received, moment, this.user, this.verb, this.object, this.code,
				this.dryRun, this.request, this.response, this.selector, this.slot);
	}

	@Override
	public String toString() {
		return "%s by %s received %s ".formatted(this.verb + " " + this.object, this.user, this.received)
				+ ((this.code == 0) ? "never answered" : "completed %s code %d".formatted(this.completed, this.code));
	}

}
