package dev.sharding.internal.sharder.ring;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import dev.sharding.internal.sharder.ring.ControllerRingSpec.ControlledResource;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.internal.sharder.ring.RingReport.Orders;
import dev.sharding.internal.sharder.ring.RingReport.Progress;
import dev.sharding.internal.sharder.ring.RingReport.Slots;
import dev.sharding.internal.sharder.ring.WebhookReports.Configured;
import io.fabric8.kubernetes.api.model.Condition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RingStatusLawTests {

	private static final Instant NOW = Instant.parse("2026-11-21T12:00:00.123Z");

	private static final RingReport ALL_WELL = new RingReport(Orders.NONE, Slots.NONE, 3, 2, new TreeMap<>(),
			new TreeMap<>(), new TreeSet<>(), new TreeMap<>(), new TreeMap<>(), null, null, Progress.NONE);

	private static final ControllerRingSpec ALONE = new ControllerRingSpec(
			List.of(new MainResource("", "secrets", List.of())), null);

	private static final ControllerRingSpec CONTROLLING = new ControllerRingSpec(
			List.of(new MainResource("", "secrets", List.of(new ControlledResource("", "configmaps")))), null);

	@Test
	void saysThatAllIsWell() {
		ControllerRingStatus status = next(1, null, ALL_WELL, NOW);
		assertThat(status.shards()).isEqualTo(3);
		assertThat(status.availableShards()).isEqualTo(2);
		assertThat(status.observedGeneration()).isEqualTo(1);
		assertThat(status.conditions()).extracting(Condition::getStatus).containsOnly("True");
		assertThat(status.conditions()).extracting(Condition::getLastTransitionTime)
			.containsOnly("2026-11-21T12:00:00Z");
		assertThat(ready(status).getReason()).isEqualTo("ReconciliationSucceeded");
	}

	@Test
	@DisplayName("Scenario 61: nothing is written if only time has passed")
	void writesNothingIfNothingChanged() {
		ControllerRingStatus written = next(1, null, ALL_WELL, NOW);
		assertThat(RingStatusLaw.next(1, CONTROLLING, written, ALL_WELL, NOW.plusSeconds(60))).isNull();
	}

	@Test
	@DisplayName("Scenario 61: written if observedGeneration is outdated, a condition changed, or another part changed")
	void writesWhatChanged() {
		ControllerRingStatus written = next(1, null, ALL_WELL, NOW);
		assertThat(next(2, written, ALL_WELL, NOW).observedGeneration()).isEqualTo(2);
		assertThat(next(1, written, with(4, 2), NOW).shards()).isEqualTo(4);
		assertThat(next(1, written, with(3, 1), NOW).availableShards()).isEqualTo(1);
		assertThat(ready(next(1, written, unreadable(), NOW)).getStatus()).isEqualTo("False");
	}

	@Test
	void keepsTheTransitionTimeUntilTheStatusOfTheConditionChanges() {
		ControllerRingStatus first = next(1, null, ALL_WELL, NOW);
		ControllerRingStatus second = next(2, first, ALL_WELL, NOW.plus(Duration.ofMinutes(1)));
		assertThat(ready(second).getLastTransitionTime()).isEqualTo("2026-11-21T12:00:00Z");
		ControllerRingStatus third = next(2, second, unreadable(), NOW.plus(Duration.ofMinutes(2)));
		assertThat(ready(third).getLastTransitionTime()).isEqualTo("2026-11-21T12:02:00Z");
		assertThat(condition(third, "ShardsValid").getLastTransitionTime()).isEqualTo("2026-11-21T12:00:00Z");
	}

	@Test
	void namesWhatCannotBeServed() {
		ControllerRingStatus status = next(1, null, unreadable(), NOW);
		assertThat(ready(status).getReason()).isEqualTo("ReconciliationFailed");
		assertThat(condition(status, "ResourcesAccessible").getMessage()).contains("configmaps: 403 Forbidden")
			.contains("may list, watch, get and patch");
	}

	@Test
	void tellsHowFarTheWorkHasCome() {
		assertThat(ready(next(1, null, with(Progress.NONE), NOW)).getMessage()).isEqualTo("The ring is served");
		assertThat(ready(next(1, null, with(new Progress(30_000, 0)), NOW)).getMessage()).isEqualTo(
				"The ring is served. Since this sharder began to serve it, 30000 objects have been given to a shard");
		assertThat(ready(next(1, null, with(new Progress(0, 20_000)), NOW)).getMessage()).isEqualTo(
				"The ring is served. Since this sharder began to serve it, 20000 objects have lost the labels of the ring");
		assertThat(ready(next(1, null, with(new Progress(30_000, 20_000)), NOW)).getMessage())
			.endsWith("30000 objects have been given to a shard and 20000 objects have lost the labels of the ring");
	}

	private static RingReport with(Progress progress) {
		return new RingReport(Orders.NONE, Slots.NONE, 3, 2, new TreeMap<>(), new TreeMap<>(), new TreeSet<>(),
				new TreeMap<>(), new TreeMap<>(), null, null, progress);
	}

	/*
	 * A longer message is refused by the CustomResourceDefinition, and the status would
	 * freeze.
	 */
	@Test
	void boundsItsMessages() {
		SortedMap<String, String> many = new TreeMap<>();
		SortedSet<String> foreign = new TreeSet<>();
		for (int i = 0; i < 1000; i++) {
			many.put("default/shard-%04d".formatted(i), "reason ".repeat(100));
			foreign.add("shard-%04d".formatted(i));
		}
		RingReport report = new RingReport(Orders.NONE, Slots.NONE, 1000, 0, many, many, foreign, many, many,
				new Configured("reason ".repeat(1000)), "reason ".repeat(1000), Progress.NONE);
		ControllerRingStatus status = next(1, null, report, NOW);
		assertThat(status.conditions())
			.allSatisfy((condition) -> assertThat(condition.getMessage().length()).isLessThan(4_000));
		assertThat(condition(status, "ShardsValid").getMessage()).startsWith("default/shard-0000: reason")
			.endsWith("and 995 more");
		assertThat(condition(status, "LeasesAccessible").getMessage()).contains("and 995 more. Check that");
		assertThat(condition(status, "CreatesStamped").getMessage()).contains("shard-0004 and 995 more do not label");
	}

	@Test
	void saysThatSlotsAreHonouredAndWhoWaits() {
		Condition elected = condition(next(1, null, slots(new Slots(true, names(), names())), NOW), "SlotsHonoured");
		assertThat(elected.getStatus()).isEqualTo("True");
		assertThat(elected.getReason()).isEqualTo("ElectedLeader");
		assertThat(elected.getMessage()).doesNotContain("waiting");
		Condition alone = condition(
				next(1, null, slots(new Slots(false, names("s-001", "s-002"), names("s-003"))), NOW), "SlotsHonoured");
		assertThat(alone.getReason()).isEqualTo("WithoutElection");
		assertThat(alone.getMessage()).contains("waiting now: s-001, s-002", "get their part soon: s-003");
	}

	private static SortedSet<String> names(String... names) {
		return new TreeSet<>(List.of(names));
	}

	private static RingReport slots(Slots slots) {
		return new RingReport(Orders.NONE, slots, 3, 2, new TreeMap<>(), new TreeMap<>(), new TreeSet<>(),
				new TreeMap<>(), new TreeMap<>(), null, null, Progress.NONE);
	}

	@Test
	void isReadyWithoutShards() {
		assertThat(ready(next(1, null, with(0, 0), NOW)).getStatus()).isEqualTo("True");
	}

	@Test
	void namesForeignShardsOnlyIfThereIsSomethingToStamp() {
		RingReport report = new RingReport(Orders.NONE, Slots.NONE, 1, 1, new TreeMap<>(), new TreeMap<>(),
				new TreeSet<>(Set.of("go-1")), new TreeMap<>(), new TreeMap<>(), null, null, Progress.NONE);
		ControllerRingStatus controlled = RingStatusLaw.next(1, CONTROLLING, null, report, NOW);
		ControllerRingStatus alone = RingStatusLaw.next(1, ALONE, null, report, NOW);
		assertThat(condition(controlled, "CreatesStamped").getStatus()).isEqualTo("False");
		assertThat(condition(controlled, "CreatesStamped").getMessage()).contains("go-1");
		assertThat(condition(alone, "CreatesStamped").getStatus()).isEqualTo("True");
	}

	@Test
	void namesResourcesThatAreListedTwice() {
		ControllerRingSpec twice = new ControllerRingSpec(List.of(
				new MainResource("", "secrets", List.of(new ControlledResource("apps", "deployments"))),
				new MainResource("", "configmaps",
						List.of(new ControlledResource("", "secrets"), new ControlledResource("apps", "deployments")))),
				null);
		ControllerRingStatus status = RingStatusLaw.next(1, twice, null, ALL_WELL, NOW);
		assertThat(status).isNotNull();
		assertThat(condition(status, "ResourcesDistinct").getStatus()).isEqualTo("False");
		assertThat(condition(status, "ResourcesDistinct").getMessage()).startsWith("deployments.apps, secrets:");
		assertThat(ready(status).getStatus()).isEqualTo("True");
	}

	@Test
	void namesLeasesThatAreRefusedAndShardsThatDoNotLetGo() {
		SortedMap<String, String> refused = new TreeMap<>(Map.of("Lease default/shard-1", "403 Forbidden"));
		SortedMap<String, String> stuck = new TreeMap<>(Map.of("shard-2", "was asked"));
		ControllerRingStatus status = next(1, null, new RingReport(Orders.NONE, Slots.NONE, 1, 1, new TreeMap<>(),
				new TreeMap<>(), new TreeSet<>(), refused, stuck, null, null, Progress.NONE), NOW);
		assertThat(condition(status, "LeasesAccessible").getStatus()).isEqualTo("False");
		assertThat(condition(status, "LeasesAccessible").getMessage()).contains("Lease default/shard-1: 403 Forbidden");
		assertThat(condition(status, "DrainsAcknowledged").getStatus()).isEqualTo("False");
		assertThat(condition(status, "DrainsAcknowledged").getMessage()).startsWith("Shard shard-2 was asked");
		assertThat(ready(status).getStatus()).isEqualTo("True");
	}

	@Test
	void saysThatTheWebhookConfigurationCannotBeWritten() {
		ControllerRingStatus refused = next(1, null, withWebhook(new Configured("403 Forbidden")), NOW);
		assertThat(condition(refused, "WebhookConfigured").getStatus()).isEqualTo("False");
		assertThat(condition(refused, "WebhookConfigured").getMessage()).startsWith("403 Forbidden. Check that");
		assertThat(ready(refused).getStatus()).isEqualTo("False");
		assertThat(ready(refused).getMessage()).isEqualTo("403 Forbidden");
		ControllerRingStatus written = next(1, refused, withWebhook(new Configured(null)), NOW);
		assertThat(condition(written, "WebhookConfigured").getStatus()).isEqualTo("True");
		assertThat(ready(written).getStatus()).isEqualTo("True");
		assertThat(next(1, written, ALL_WELL, NOW).conditions()).extracting(Condition::getType)
			.doesNotContain("WebhookConfigured");
	}

	@Test
	void saysThatMemoryIsShort() {
		ControllerRingStatus status = next(
				1, null, new RingReport(Orders.NONE, Slots.NONE, 3, 2, new TreeMap<>(), new TreeMap<>(),
						new TreeSet<>(), new TreeMap<>(), new TreeMap<>(), null, "Raise it to 768 MiB", Progress.NONE),
				NOW);
		assertThat(condition(status, "MemorySufficient").getStatus()).isEqualTo("False");
		assertThat(condition(status, "MemorySufficient").getReason()).isEqualTo("MemoryShort");
		assertThat(condition(status, "MemorySufficient").getMessage()).isEqualTo("Raise it to 768 MiB");
		assertThat(ready(status).getStatus()).isEqualTo("True");
		assertThat(condition(next(1, status, ALL_WELL, NOW), "MemorySufficient").getStatus()).isEqualTo("True");
	}

	@Test
	void saysWhatPeopleHaveAskedFor() {
		ControllerRingStatus status = next(1, null, ordered(true, "shard-1"), NOW);
		assertThat(condition(status, "MovesAllowed").getStatus()).isEqualTo("False");
		assertThat(condition(status, "MovesAllowed").getMessage()).startsWith("The annotation sharding.dev/paused");
		assertThat(condition(status, "ShardsUncordoned").getReason()).isEqualTo("Cordoned");
		assertThat(condition(status, "ShardsUncordoned").getMessage()).startsWith("Shards shard-1 get no objects");
		assertThat(ready(status).getStatus()).isEqualTo("True");
		assertThat(condition(next(1, null, ordered(false, "shard-1", "shard-2"), NOW), "ShardsUncordoned").getReason())
			.isEqualTo("AllCordoned");
		ControllerRingStatus none = next(1, status, ALL_WELL, NOW);
		assertThat(condition(none, "MovesAllowed").getStatus()).isEqualTo("True");
		assertThat(condition(none, "ShardsUncordoned").getStatus()).isEqualTo("True");
	}

	private static RingReport ordered(boolean paused, String... cordoned) {
		return new RingReport(new Orders(paused, new TreeSet<>(List.of(cordoned))), Slots.NONE, 3, 2, new TreeMap<>(),
				new TreeMap<>(), new TreeSet<>(), new TreeMap<>(), new TreeMap<>(), null, null, Progress.NONE);
	}

	private static RingReport withWebhook(Configured webhook) {
		return new RingReport(Orders.NONE, Slots.NONE, 3, 2, new TreeMap<>(), new TreeMap<>(), new TreeSet<>(),
				new TreeMap<>(), new TreeMap<>(), webhook, null, Progress.NONE);
	}

	private static ControllerRingStatus next(long generation, ControllerRingStatus previous, RingReport report,
			Instant now) {
		ControllerRingStatus next = RingStatusLaw.next(generation, CONTROLLING, previous, report, now);
		assertThat(next).isNotNull();
		return next;
	}

	private static RingReport with(int shards, int available) {
		return new RingReport(Orders.NONE, Slots.NONE, shards, available, new TreeMap<>(), new TreeMap<>(),
				new TreeSet<>(), new TreeMap<>(), new TreeMap<>(), null, null, Progress.NONE);
	}

	private static RingReport unreadable() {
		SortedMap<String, String> unreadable = new TreeMap<>();
		unreadable.put("configmaps", "403 Forbidden");
		return new RingReport(Orders.NONE, Slots.NONE, 3, 2, unreadable, new TreeMap<>(), new TreeSet<>(),
				new TreeMap<>(), new TreeMap<>(), null, null, Progress.NONE);
	}

	private static Condition ready(ControllerRingStatus status) {
		return condition(status, "Ready");
	}

	private static Condition condition(ControllerRingStatus status, String type) {
		return status.conditions().stream().filter((one) -> type.equals(one.getType())).findFirst().orElseThrow();
	}

}
