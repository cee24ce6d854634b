package dev.sharding.internal.sharder.ring;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;

import dev.sharding.internal.core.slot.SharderMark;
import dev.sharding.internal.sharder.ring.RingReport.Orders;
import dev.sharding.internal.sharder.ring.RingReport.Progress;
import dev.sharding.internal.sharder.ring.RingReport.Slots;
import dev.sharding.internal.sharder.ring.WebhookReports.Configured;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Says what the status of a ring must be (protocol section 1.3). {@code Ready} is about
 * the sharder's own work on the ring: it is true with no shard at all, and false as soon
 * as one resource cannot be served, although the others are. The other conditions name
 * what a user can mend.
 */
final class RingStatusLaw {

	static final String READY = "Ready";

	static final String RESOURCES_ACCESSIBLE = "ResourcesAccessible";

	static final String SHARDS_VALID = "ShardsValid";

	static final String CREATES_STAMPED = "CreatesStamped";

	static final String LEASES_ACCESSIBLE = "LeasesAccessible";

	static final String RESOURCES_DISTINCT = "ResourcesDistinct";

	static final String DRAINS_ACKNOWLEDGED = "DrainsAcknowledged";

	static final String MOVES_ALLOWED = "MovesAllowed";

	static final String SHARDS_UNCORDONED = "ShardsUncordoned";

	static final String MEMORY_SUFFICIENT = "MemorySufficient";

	static final String WEBHOOK_CONFIGURED = "WebhookConfigured";

	private RingStatusLaw() {
	}

	/**
	 * Returns the status to write, or {@code null} if what is written already says it.
	 */
	static @Nullable ControllerRingStatus next(long generation, ControllerRingSpec spec,
			@Nullable ControllerRingStatus previous, RingReport report, Instant now) {
		List<Condition> conditions = new ArrayList<>(List.of(ready(report), resourcesAccessible(report),
				shardsValid(report), createsStamped(spec.hasControlledResources(), report), leasesAccessible(report),
				drainsAcknowledged(report), resourcesDistinct(spec.listedTwice()), memorySufficient(report),
				movesAllowed(report.orders()), shardsUncordoned(report), slotsHonoured(report.slots())));
		if (report.webhook() != null) {
			conditions.add(webhookConfigured(report.webhook()));
		}
		conditions.forEach((condition) -> complete(condition, generation, previous, now));
		ControllerRingStatus next = new ControllerRingStatus(generation, report.shards(), report.availableShards(),
				conditions);
		return next.equals(previous) ? null : next;
	}

	private static Condition ready(RingReport report) {
		String webhook = (report.webhook() != null) ? report.webhook().problem() : null;
		if (report.unreadable().isEmpty()) {
			return (webhook == null) ? condition(READY, true, "ReconciliationSucceeded", served(report.progress()))
					: condition(READY, false, "ReconciliationFailed", Reasons.cut(webhook));
		}
		return condition(READY, false, "ReconciliationFailed",
				"Failed to serve " + Reasons.of(report.unreadable(), ": "));
	}

	private static String served(Progress progress) {
		List<String> done = new ArrayList<>();
		if (progress.given() > 0) {
			done.add(progress.given() + " objects have been given to a shard");
		}
		if (progress.freed() > 0) {
			done.add(progress.freed() + " objects have lost the labels of the ring");
		}
		return done.isEmpty() ? "The ring is served"
				: "The ring is served. Since this sharder began to serve it, " + String.join(" and ", done);
	}

	private static Condition webhookConfigured(Configured webhook) {
		if (webhook.problem() == null) {
			return condition(WEBHOOK_CONFIGURED, true, "Configured",
					"The API server asks the webhook about objects without a shard");
		}
		return condition(WEBHOOK_CONFIGURED, false, "NotConfigured",
				Reasons.cut(webhook.problem())
						+ ". Check that the sharder may get, list, watch, create, patch and delete"
						+ " MutatingWebhookConfigurations, and that its webhook has a certificate and a free port");
	}

	private static Condition resourcesAccessible(RingReport report) {
		if (report.unreadable().isEmpty()) {
			return condition(RESOURCES_ACCESSIBLE, true, "Accessible", "All resources of the ring are accessible");
		}
		return condition(RESOURCES_ACCESSIBLE, false, "NotAccessible", Reasons.of(report.unreadable(), ": ")
				+ ". Check that each resource exists and that the sharder may list, watch, get and patch it");
	}

	private static Condition shardsValid(RingReport report) {
		if (report.invalidShards().isEmpty()) {
			return condition(SHARDS_VALID, true, "Valid", "All shards have valid, distinct names");
		}
		return condition(SHARDS_VALID, false, "InvalidShard", Reasons.of(report.invalidShards(), ": "));
	}

	private static Condition createsStamped(boolean controlledResources, RingReport report) {
		if (!controlledResources || report.unstampedShards().isEmpty()) {
			return condition(CREATES_STAMPED, true, "Stamped", "Controlled objects get their label at once");
		}
		return condition(CREATES_STAMPED, false, "ForeignShards",
				"Shards " + Reasons.names(report.unstampedShards())
						+ " do not label the controlled objects that they create: these get their label at the next"
						+ " resync unless the sharder's webhook is installed");
	}

	private static Condition leasesAccessible(RingReport report) {
		if (report.refusedLeases().isEmpty()) {
			return condition(LEASES_ACCESSIBLE, true, "Accessible", "The Leases of the ring can be served");
		}
		return condition(LEASES_ACCESSIBLE, false, "NotAccessible",
				Reasons.of(report.refusedLeases(), ": ")
						+ ". Check that the sharder may get, list, watch, create, update, patch"
						+ " and delete Leases: what a shard had that is gone waits until its Lease can be held");
	}

	private static Condition resourcesDistinct(SortedSet<String> twice) {
		if (twice.isEmpty()) {
			return condition(RESOURCES_DISTINCT, true, "Distinct", "Each resource is listed once");
		}
		return condition(RESOURCES_DISTINCT, false, "ListedTwice", Reasons.names(twice)
				+ ": listed more than once. A resource that is a main resource is not a controlled one; list each once");
	}

	private static Condition drainsAcknowledged(RingReport report) {
		if (report.stuckDrains().isEmpty()) {
			return condition(DRAINS_ACKNOWLEDGED, true, "Acknowledged",
					"Shards let go of objects when they are asked to");
		}
		return condition(DRAINS_ACKNOWLEDGED, false, "DrainStuck", "Shard " + Reasons.of(report.stuckDrains(), " ")
				+ ". Look for a reconcile that does not end, or restart the shard");
	}

	private static Condition memorySufficient(RingReport report) {
		return (report.memory() == null)
				? condition(MEMORY_SUFFICIENT, true, "Sufficient", "The sharder has enough memory")
				: condition(MEMORY_SUFFICIENT, false, "MemoryShort", Reasons.cut(report.memory()));
	}

	private static Condition movesAllowed(Orders orders) {
		return orders.paused()
				? condition(MOVES_ALLOWED, false, "Paused",
						"The annotation " + ShardingLabels.PAUSED
								+ " is set: objects stay with their owners. What has no owner gets one")
				: condition(MOVES_ALLOWED, true, "NotPaused", "Objects move to the shards that they belong to");
	}

	private static Condition shardsUncordoned(RingReport report) {
		SortedSet<String> cordoned = report.orders().cordoned();
		if (cordoned.isEmpty()) {
			return condition(SHARDS_UNCORDONED, true, "NotCordoned", "All available shards get objects");
		}
		return (cordoned.size() < report.availableShards())
				? condition(SHARDS_UNCORDONED, false, "Cordoned",
						"Shards " + Reasons.names(cordoned)
								+ " get no objects and are asked to let go of those that they have")
				: condition(SHARDS_UNCORDONED, false, "AllCordoned",
						"All available shards are cordoned, so that they get objects all the same: "
								+ Reasons.names(cordoned));
	}

	/* Candidates for a slot read it: our sharder wrote it, and no other does. */
	private static Condition slotsHonoured(Slots slots) {
		String text = "What a shard has that was given back waits for its next holder";
		if (!slots.givenBack().isEmpty()) {
			text += "; waiting now: " + Reasons.names(slots.givenBack());
		}
		if (!slots.settling().isEmpty()) {
			text += "; came lately and get their part soon: " + Reasons.names(slots.settling());
		}
		return condition(ShardingLabels.CONDITION_SLOTS_HONOURED, true,
				slots.elected() ? SharderMark.ELECTED : SharderMark.NOT_ELECTED, text);
	}

	private static Condition condition(String type, boolean status, String reason, String message) {
		return new ConditionBuilder().withType(type)
			.withStatus(status ? "True" : "False")
			.withReason(reason)
			.withMessage(message)
			.build();
	}

	private static void complete(Condition condition, long generation, @Nullable ControllerRingStatus previous,
			Instant now) {
		condition.setObservedGeneration(generation);
		condition.setLastTransitionTime(now.truncatedTo(ChronoUnit.SECONDS).toString());
		if (previous == null) {
			return;
		}
		for (Condition before : previous.conditions()) {
			if (condition.getType().equals(before.getType())
					&& Objects.equals(condition.getStatus(), before.getStatus())
					&& before.getLastTransitionTime() != null) {
				condition.setLastTransitionTime(before.getLastTransitionTime());
			}
		}
	}

}
