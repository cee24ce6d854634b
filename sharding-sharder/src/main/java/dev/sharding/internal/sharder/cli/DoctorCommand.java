package dev.sharding.internal.sharder.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.internal.sharder.diagnosis.Finding;
import dev.sharding.internal.sharder.diagnosis.Finding.Severity;
import dev.sharding.internal.sharder.diagnosis.LeaseLaw;
import dev.sharding.internal.sharder.diagnosis.RingLaw;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.shardlease.Membership;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Looks for all that is wrong.
 */
@Command(name = "doctor",
		description = "Looks for what is wrong with all rings, or with one; exits with 1 if it finds a problem.")
final class DoctorCommand implements Callable<Integer> {

	@Mixin
	private final ClusterOptions options = new ClusterOptions();

	@Mixin
	private final Output output = new Output();

	@Parameters(arity = "0..1", paramLabel = "RING")
	private @Nullable String name;

	@Option(names = "--patience", paramLabel = "DURATION", defaultValue = "PT10S",
			description = "How long an object may be on its way, as an ISO-8601 duration; ${DEFAULT-VALUE} by default.")
	private Duration patience = Duration.ofSeconds(10);

	@Option(names = "--sharder-namespace", paramLabel = "NAME", defaultValue = "sharding-system",
			description = "Where the sharder runs; ${DEFAULT-VALUE} by default.")
	private String sharderNamespace = "sharding-system";

	@Option(names = "--without-election",
			description = "The sharder elects no leader (sharding.sharder.leader-election.enabled=false), so it has no Lease.")
	private boolean withoutElection;

	@Option(names = "--sharder-account", paramLabel = "NAMESPACE/NAME",
			description = "The ServiceAccount of the sharder; by default sharder, in its namespace.")
	private @Nullable String sharderAccount;

	@Option(names = "--shard-account", paramLabel = "NAMESPACE/NAME",
			description = "The ServiceAccount of the shards; by default that of the pods of their names.")
	private @Nullable String shardAccount;

	@Option(names = "--webhook-secret", paramLabel = "NAME", defaultValue = "sharder-webhook",
			description = "The Secret that the webhook serves with; ${DEFAULT-VALUE} by default.")
	private String webhookSecret = "sharder-webhook";

	@Override
	public Integer call() throws InterruptedException {
		try (Cluster cluster = this.options.connect()) {
			List<ControllerRing> rings = (this.name != null) ? List.of(cluster.ring(this.name)) : cluster.rings();
			Map<String, List<Finding>> findings = new LinkedHashMap<>();
			for (ControllerRing ring : rings) {
				findings.put(ring.getMetadata().getName(), examine(cluster, ring));
			}
			findings.put("", sharder(cluster));
			print(findings);
			boolean sick = findings.values()
				.stream()
				.flatMap(List::stream)
				.anyMatch((finding) -> finding.severity() == Severity.PROBLEM);
			return sick ? ShardingCommand.PROBLEM : ShardingCommand.WELL;
		}
	}

	private List<Finding> examine(Cluster cluster, ControllerRing ring) throws InterruptedException {
		List<Finding> findings = new ArrayList<>(RingLaw.of(ring));
		Instant now = Instant.now();
		List<Lease> leases = cluster.leases(ring.getMetadata().getName());
		Membership membership = cluster.membership(leases, now);
		ShardPods pods = new ShardPods(cluster);
		List<LeaseLaw.Shard> shards = pods.of(Cluster.shards(leases), findings);
		findings.addAll(LeaseLaw.of(shards, membership.invalid(), now));
		findings.addAll(RingLaw.ofSlots(ring, shards));
		findings.addAll(new SlotPods(cluster).findings(shards, now));
		WebhookCheck webhook = new WebhookCheck(cluster, this.sharderNamespace, this.webhookSecret);
		findings.addAll(webhook.of(ring.getMetadata().getName(), now));
		String account = (this.sharderAccount != null) ? this.sharderAccount : this.sharderNamespace + "/sharder";
		findings.addAll(new RightsCheck(cluster, account, this.shardAccount).of(ring, shards, webhook.isConfigured()));
		findings.addAll(new ObjectCheck(cluster, ring, this.patience).findings());
		findings.sort(Comparator.comparing(Finding::severity));
		return findings;
	}

	private List<Finding> sharder(Cluster cluster) {
		if (this.withoutElection) {
			return List.of();
		}
		Lease lease = cluster.lease(this.sharderNamespace, "sharder");
		return RingLaw.ofLeader(this.sharderNamespace + "/sharder", (lease != null) ? LeaseRecords.of(lease) : null,
				Instant.now());
	}

	private void print(Map<String, List<Finding>> findings) {
		List<Map<String, Object>> all = new ArrayList<>();
		findings.forEach((ring, found) -> found.forEach((finding) -> {
			Map<String, Object> described = new LinkedHashMap<>();
			described.put("ring", ring);
			described.put("severity", finding.severity().name().toLowerCase(Locale.ROOT));
			described.put("check", finding.check());
			described.put("subject", finding.subject());
			described.put("message", finding.message());
			described.put("remedy", finding.remedy());
			all.add(described);
		}));
		long problems = all.stream().filter((finding) -> "problem".equals(finding.get("severity"))).count();
		if (!this.output.isTable()) {
			this.output.print(Map.of("healthy", problems == 0, "findings", all));
			return;
		}
		for (Map<String, Object> finding : all) {
			String ring = String.valueOf(finding.get("ring"));
			this.output.line("%-8s %s%s: %s %s".formatted(
					String.valueOf(finding.get("severity")).toUpperCase(Locale.ROOT), ring.isEmpty() ? "" : ring + " ",
					finding.get("check"), finding.get("subject"), finding.get("message")));
			if (!String.valueOf(finding.get("remedy")).isEmpty()) {
				this.output.line("         -> " + finding.get("remedy"));
			}
		}
		long rings = findings.keySet().stream().filter((ring) -> !ring.isEmpty()).count();
		this.output.line((problems == 0) ? "All is well with %d ring(s)".formatted(rings)
				: "%d problem(s) found".formatted(problems));
	}

}
