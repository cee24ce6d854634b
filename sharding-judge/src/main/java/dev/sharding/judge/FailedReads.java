package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * Judges whether consistent reads of shards were answered in time: {@code failedReads}.
 * The clock of a read runs only while its process is alive for certain, as it renews its
 * Lease, and while nobody says that he disturbs it.
 */
final class FailedReads {

	/** How long a read may take. */
	private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(2);

	private final RingUnderTest ring;

	private final ShardLeases leases;

	private final Injected injected;

	private final BareClient bareClient;

	private final Findings findings;

	FailedReads(RingUnderTest ring, ShardLeases leases, Injected injected, BareClient bareClient, Findings findings) {
		this.ring = ring;
		this.leases = leases;
		this.injected = injected;
		this.bareClient = bareClient;
		this.findings = findings;
	}

	void judge(List<ReadRecord> reads) {
		for (ReadRecord read : reads) {
			if (read.ring().equals(this.ring.name())) {
				this.leases.terms(read.shard())
					.stream()
					.filter((term) -> Injected.subject(term.user()).equals(read.user()))
					.filter((term) -> !term.from().isAfter(read.begin()) && term.lastRenewal().isAfter(read.begin()))
					.forEach((term) -> judge(read, term));
			}
		}
	}

	private void judge(ReadRecord read, ShardLeases.Term term) {
		boolean over = !read.end().isAfter(term.lastRenewal());
		Instant to = over ? read.end() : term.lastRenewal();
		Duration disturbed = this.injected.disturbed(Set.of(read.shard(), read.user()), read.begin(), to);
		Duration waited = Duration.between(read.begin(), to)
			.minus(disturbed)
			.minus(ANSWERED_WITHIN)
			.minus(this.bareClient.allowance(read.begin(), to, 0));
		boolean failed = over && !read.answered() && !read.failure().equals(ReadRecord.OPEN);
		if (failed && disturbed.isZero()) {
			this.findings.add(Counter.FAILED_READS, read.end(), "%s failed: %s".formatted(read, read.failure()));
		}
		else if (!waited.isNegative()) {
			this.findings.add(Counter.FAILED_READS, to,
					"%s lasted %d ms longer than it may".formatted(read, waited.toMillis())
							+ (read.answered() ? "" : ": " + read.failure()));
		}
	}

}
