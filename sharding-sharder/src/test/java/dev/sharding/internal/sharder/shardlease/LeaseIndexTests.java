package dev.sharding.internal.sharder.shardlease;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.slot.SlotWrites;
import dev.sharding.internal.core.slot.TermProgress;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.internal.sharder.shardlease.LeaseBook.Absence;
import dev.sharding.internal.sharder.shardlease.LeaseBook.ShardName;
import dev.sharding.internal.sharder.shardlease.MembershipLaw.SeatFacts;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is known of Leases without a look at all of them is what a look at all says.
 */
class LeaseIndexTests {

	private static final Duration LEAST = Duration.ofSeconds(5);

	private static final LeaseTrust TRUST = new LeaseTrust(Duration.ofSeconds(20), Set.of());

	private static final List<String> RINGS = List.of("ring-1", "ring-2");

	private static final List<String> NAMES = List.of("a", "b", "c");

	private static final List<String> NAMESPACES = List.of("one", "two");

	private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

	@Property(tries = 5_000, edgeCases = EdgeCasesMode.NONE)
	void saysWhatAScanSays(@ForAll("events") List<Event> events) {
		Comparison comparison = new Comparison();
		events.forEach(comparison::take);
	}

	/* Another one that is not held any more is what a shard was compared with. */
	@Test
	void tellsOfAShardThatHasSettledAgain() {
		Comparison comparison = new Comparison();
		comparison.take(new Event(Kind.RENEWED, "ring-2", "b", "one", "itself", 1, true, 0, Note.SETTLED));
		comparison.take(new Event(Kind.RENEWED, "ring-2", "a", "one", "itself", 1, false, 1, Note.CAME_LATELY));
		comparison.take(new Event(Kind.RENEWED, "ring-2", "a", "two", "itself", 1, true, 0, Note.SETTLED));
		comparison.take(new Event(Kind.RENEWED, "ring-2", "a", "one", "itself", 1, false, 0, Note.NONE));
		comparison.take(new Event(Kind.EDITED, "ring-2", "a", "two", "", 1, true, 0, Note.NONE));
		comparison.take(new Event(Kind.EDITED, "ring-2", "a", "one", "itself", 2, false, 40, Note.NONE));
	}

	@Provide
	Arbitrary<List<Event>> events() {
		Arbitrary<Event> event = Combinators
			.combine(
					Arbitraries.frequency(Tuple.of(8, Kind.RENEWED), Tuple.of(4, Kind.EDITED),
							Tuple.of(2, Kind.VANISHED), Tuple.of(2, Kind.FORGOTTEN), Tuple.of(1, Kind.RELABELLED),
							Tuple.of(1, Kind.SEEN_OUTSIDE), Tuple.of(1, Kind.GONE_OUTSIDE)),
					Arbitraries.of(RINGS), Arbitraries.of(NAMES), Arbitraries.of(NAMESPACES),
					Arbitraries.of("itself", "", "somebody", ShardingLabels.SHARDER_IDENTITY),
					Arbitraries.of(1, 2, 6, 8, 15, 30), Arbitraries.of(true, false),
					Combinators.combine(Arbitraries.of(0, 1, 3, 10, 40), Arbitraries.of(Note.values())).as(Tuple::of))
			.as((kind, ring, name, namespace, who, duration, ours, rest) -> new Event(kind, ring, name, namespace, who,
					duration, ours, rest.get1(), rest.get2()));
		return event.list().ofMinSize(1).ofMaxSize(40);
	}

	/**
	 * The index, the scan, and what a ring was told last.
	 */
	private static final class Comparison {

		private final LeaseBook book = new LeaseBook(TRUST, LEAST);

		private final ScannedLeases scan = new ScannedLeases(TRUST, LEAST);

		private final Map<ObjectKey, Lease> leases = new HashMap<>();

		private final Map<String, Membership> told = new HashMap<>();

		private final List<Absence> indexed = new ArrayList<>();

		private final List<Absence> scanned = new ArrayList<>();

		private int seconds;

		private Comparison() {
			this.book.listed(now());
		}

		private void take(Event event) {
			this.seconds += event.later();
			ObjectKey key = new ObjectKey(event.namespace(), event.name());
			Lease before = this.leases.get(key);
			switch (event.kind()) {
				case RENEWED -> see(key, (before != null) ? renewed(before) : lease(key, event));
				case EDITED -> {
					String ring = (before != null) ? TrackedLease.ringOf(before) : event.ring();
					see(key, lease(key, event.in(ring)));
				}
				case RELABELLED -> {
					if (before != null && !TrackedLease.ringOf(before).equals(event.ring())) {
						vanish(key);
					}
					see(key, lease(key, event));
				}
				case VANISHED -> {
					if (before != null) {
						vanish(key);
					}
				}
				case FORGOTTEN -> forget(event.later());
				case SEEN_OUTSIDE -> {
					ObjectKey elsewhere = new ObjectKey("elsewhere", event.name());
					if (this.book.seeOutside(elsewhere, event.ring())) {
						RINGS.forEach(this::tell);
					}
					this.scan.seeOutside(elsewhere, event.ring());
				}
				case GONE_OUTSIDE -> {
					ObjectKey elsewhere = new ObjectKey("elsewhere", event.name());
					this.book.vanishOutside(elsewhere);
					this.scan.vanishOutside(elsewhere);
					RINGS.forEach(this::tell);
				}
			}
			compare();
		}

		private void see(ObjectKey key, Lease lease) {
			this.leases.put(key, lease);
			TrackedLease tracked = this.book.see(key, lease, now());
			this.scan.see(key, lease, now());
			String ring = tracked.ring();
			if (this.book.noteSeat(key, tracked, now())) {
				tell(ring);
			}
			assertThat(this.told.get(ring)).isEqualTo(membership(this.scan.seats(ring, now())));
		}

		private void vanish(ObjectKey key) {
			String ring = TrackedLease.ringOf(Objects.requireNonNull(this.leases.remove(key)));
			this.indexed.add(Objects.requireNonNull(this.book.vanish(key, now())));
			this.scanned.add(this.scan.vanish(key, now()));
			tell(ring);
		}

		private void forget(int any) {
			if (!this.indexed.isEmpty()) {
				int which = any % this.indexed.size();
				Absence absence = this.indexed.remove(which);
				this.book.forget(absence);
				this.scan.forget(this.scanned.remove(which));
				tell(absence.place().ring());
			}
		}

		private void tell(String ring) {
			this.told.put(ring, membership(this.book.countSeats(ring, now())));
			this.scan.told(ring, now());
		}

		private void compare() {
			for (ObjectKey key : this.scan.keys()) {
				TrackedLease tracked = this.book.get(key);
				assertThat(tracked).isNotNull();
				assertThat(this.book.untilClaimOver(key, tracked, now()))
					.isEqualTo(this.scan.untilClaimOver(key, now()));
			}
			for (String ring : RINGS) {
				assertThat(Set.copyOf(this.book.keys(ring))).isEqualTo(Set.copyOf(
						this.scan.keys().stream().filter((key) -> this.scan.get(key).ring().equals(ring)).toList()));
				assertThat(this.book.untilUnseenOver(ring, at(0))).isEqualTo(this.scan.unseen(ring));
				NAMES.forEach((name) -> compare(new ShardName(ring, name)));
			}
		}

		private void compare(ShardName shard) {
			assertThat(Set.copyOf(this.book.of(shard))).isEqualTo(this.scan.of(shard));
			assertThat(this.book.isAvailable(shard, now())).isEqualTo(this.scan.isAvailable(shard, now()));
			if (this.scan.absences(shard).findAny().isPresent()) {
				assertThat(this.book.untilClaimOver(shard, now())).isEqualTo(this.scan.untilAbsentOver(shard, now()));
			}
			Set<String> namespaces = this.scan.namespacesOf(shard);
			String namespace = this.book.namespaceOf(shard);
			assertThat(namespaces.isEmpty() ? namespace == null : namespaces.contains(namespace)).isTrue();
		}

		private static Membership membership(List<SeatFacts> seats) {
			return MembershipLaw.of(seats, Collections.emptySortedMap());
		}

		private Lease renewed(Lease before) {
			return new LeaseBuilder(before).editSpec()
				.withRenewTime(now().wall().atZone(ZoneOffset.UTC))
				.endSpec()
				.build();
		}

		private Lease lease(ObjectKey key, Event event) {
			Lease lease = new LeaseBuilder().withNewMetadata()
				.withNamespace(key.namespace())
				.withName(key.name())
				.withUid("uid")
				.withResourceVersion("1")
				.addToLabels(ShardingLabels.LEASE_RING, event.ring())
				.withAnnotations(event.ours() ? new HashMap<>(Map.of(ShardingLabels.INSTANCE_ID, "id")) : null)
				.endMetadata()
				.withNewSpec()
				.withHolderIdentity(event.holder(key.name()))
				.withLeaseDurationSeconds(event.duration())
				.withAcquireTime(BEGINNING.atZone(ZoneOffset.UTC))
				.withRenewTime(now().wall().atZone(ZoneOffset.UTC))
				.endSpec()
				.build();
			return switch (event.note()) {
				case NONE -> lease;
				case CAME_LATELY -> new LeaseBuilder(lease).editSpec()
					.withAcquireTime(now().wall().atZone(ZoneOffset.UTC))
					.endSpec()
					.build();
				case SETTLED -> new LeaseBuilder(lease).editMetadata()
					.addToAnnotations(ShardingLabels.SETTLED, now().wall().toString())
					.endMetadata()
					.build();
				case GIVEN_BACK -> givenBack(lease);
			};
		}

		private Lease givenBack(Lease lease) {
			if (lease.getMetadata().getAnnotations() == null) {
				return lease;
			}
			Lease noted = new LeaseBuilder(lease).editMetadata()
				.addToAnnotations(ShardingLabels.GRACE, "30")
				.endMetadata()
				.build();
			return LeaseRecords.write(noted, SlotWrites.giveBack(LeaseRecords.slotLease(noted),
					new TermProgress(true, false, true), now().wall()));
		}

		private Moment now() {
			return at(this.seconds);
		}

		private static Moment at(int seconds) {
			return new Moment(BEGINNING.plusSeconds(seconds), Duration.ofSeconds(seconds).toNanos());
		}

	}

	/**
	 * What happens, some seconds later.
	 */
	private record Event(Kind kind, String ring, String name, String namespace, String who, int duration, boolean ours,
			int later, Note note) {

		private Event in(String other) {
			return new Event(this.kind, other, this.name, this.namespace, this.who, this.duration, this.ours,
					this.later, this.note);
		}

		private @Nullable String holder(String itself) {
			return this.who.equals("itself") ? itself : this.who;
		}

	}

	private enum Note {

		NONE, CAME_LATELY, SETTLED, GIVEN_BACK

	}

	private enum Kind {

		RENEWED, EDITED, RELABELLED, VANISHED, FORGOTTEN, SEEN_OUTSIDE, GONE_OUTSIDE

	}

}
