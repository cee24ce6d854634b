package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Judges whether owners did their work: {@code unserved} and {@code untouched}. The clock
 * of an object runs only while its owner is alive for certain, as it renews its Lease,
 * and while nobody says that he disturbs it.
 */
final class Service {

	/** How long a change, or a new owner, may go without what follows from it. */
	private static final Duration SERVED_WITHIN = Duration.ofSeconds(2);

	private final RingUnderTest ring;

	private final History history;

	private final Derived derived;

	private final Claims claims;

	private final Injected injected;

	private final BareClient bareClient;

	private final Findings findings;

	private final Map<String, List<ShardLeases.Term>> terms = new HashMap<>();

	private final Map<ObjectRef, List<AuditEvent>> writes = new HashMap<>();

	private final Map<String, List<Done>> done = new HashMap<>();

	Service(RingUnderTest ring, History history, Derived derived, ShardLeases leases, Claims claims, Injected injected,
			BareClient bareClient, Findings findings) {
		this.ring = ring;
		this.history = history;
		this.derived = derived;
		this.claims = claims;
		this.injected = injected;
		this.bareClient = bareClient;
		this.findings = findings;
		leases.shards().forEach((shard) -> this.terms.put(shard, leases.terms(shard)));
	}

	void judge(List<AuditEvent> events) {
		for (AuditEvent event : events) {
			String shard = event.shard();
			ObjectRef main = (shard != null && event.mutating()) ? this.derived.mainOf(event) : null;
			if (shard != null && main != null) {
				this.writes.computeIfAbsent(main, (key) -> new ArrayList<>()).add(event);
				if (event.changesState()) {
					this.done.computeIfAbsent(shard, (key) -> new ArrayList<>()).add(new Done(main, event.completed()));
				}
			}
		}
		for (ObjectRef object : this.history.objects()) {
			if (this.ring.isMain(object)) {
				judge(object);
			}
		}
	}

	private void judge(ObjectRef object) {
		Serving serving = new Serving(object, this.history, this.derived);
		List<Revision> states = serving.states();
		for (Claims.Claim claim : this.claims.of(object)) {
			judgeTouch(object, claim);
			for (int i = 0; i < states.size(); i++) {
				Revision state = states.get(i);
				if (serving.isDue(i) && state.completed().isBefore(claim.to())) {
					judgeState(object, claim, state, serving.at(i));
				}
			}
		}
	}

	private void judgeState(ObjectRef object, Claims.Claim claim, Revision state, @Nullable Instant servedAt) {
		Duration waited = waited(object, claim, state.completed(), servedAt);
		if (!waited.isNegative()) {
			this.findings.add(Counter.UNSERVED, state.completed(),
					"%s of version %s by %s: %s, which was alive, had it %d ms longer than it may and had not served it (%s)"
						.formatted(object, state.cause().version(), state.cause().user(), claim.shard(),
								waited.toMillis(), (servedAt != null) ? "served at " + servedAt : "never served"));
		}
	}

	private void judgeTouch(ObjectRef object, Claims.Claim claim) {
		Instant touched = this.writes.getOrDefault(object, List.of())
			.stream()
			.filter((write) -> claim.shard().equals(write.shard()) && !write.received().isBefore(claim.from()))
			.map(AuditEvent::received)
			.min(Instant::compareTo)
			.orElse(null);
		Duration waited = waited(object, claim, claim.begin().completed(), touched);
		if (!waited.isNegative() && !upToDate(object, claim, touched)) {
			this.findings.add(Counter.UNTOUCHED, claim.from(),
					"%s: %s, which was alive, had %s %d ms longer than it may and wrote nothing for it"
						.formatted(claim.begin(), claim.shard(), object, waited.toMillis()));
		}
	}

	/** Whether there was nothing to be done, as far as its derived object said then. */
	private boolean upToDate(ObjectRef object, Claims.Claim claim, @Nullable Instant touched) {
		Instant then = (touched != null) ? touched.minusNanos(1) : claim.to();
		for (ObjectRef child : this.derived.of(object)) {
			Revision state = this.history.begunAt(child, then);
			Body body = (state != null) ? state.body() : null;
			if (body != null) {
				return body.stamp().isEmpty() || claim.begin().version() == null
						|| new java.math.BigInteger(body.stamp()).compareTo(claim.begin().version()) >= 0;
			}
		}
		return false;
	}

	/**
	 * For how much longer than it may the owner could have done it and did not; negative
	 * if it was in time. What it did for others meanwhile counts.
	 */
	Duration waited(ObjectRef object, Claims.Claim claim, Instant since, @Nullable Instant done) {
		Duration most = Duration.ofMillis(-1);
		for (ShardLeases.Term term : this.terms.getOrDefault(claim.shard(), List.of())) {
			Instant from = max(max(since, claim.begin().completed()), term.from());
			Instant to = min(term.lastRenewal(), claim.to());
			to = (done != null) ? min(to, done) : to;
			if (from.isBefore(to)) {
				Set<String> subjects = Set.of(object.namespace() + "/" + object.name(), claim.shard(),
						Injected.subject(term.user()));
				Duration waited = Duration.between(from, to)
					.minus(this.injected.disturbed(subjects, from, to))
					.minus(SERVED_WITHIN);
				if (!waited.isNegative()) {
					long others = doneForOthers(object, claim.shard(), from, to);
					waited = waited.minus(this.bareClient.allowance(from, to, others));
				}
				most = (waited.compareTo(most) > 0) ? waited : most;
			}
		}
		return most;
	}

	/** For how many other objects the shard wrote meanwhile. */
	private long doneForOthers(ObjectRef object, String shard, Instant from, Instant to) {
		return this.done.getOrDefault(shard, List.of())
			.stream()
			.filter((one) -> one.at().isAfter(from) && one.at().isBefore(to))
			.map(Done::main)
			.filter((main) -> !main.equals(object))
			.distinct()
			.count();
	}

	private static Instant max(Instant a, Instant b) {
		return a.isAfter(b) ? a : b;
	}

	private static Instant min(Instant a, Instant b) {
		return a.isBefore(b) ? a : b;
	}

	/** A write for an object, or for what is made of it, that stored something. */
	private record Done(ObjectRef main, Instant at) {
	}

}
