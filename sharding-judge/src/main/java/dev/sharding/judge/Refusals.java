package dev.sharding.judge;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Judges what the API server refused for want of a right: {@code forbidden}. What is
 * disturbed may have had its rights taken, and an API server that has just begun does not
 * know of any.
 */
final class Refusals {

	private static final int FORBIDDEN = 403;

	private final ShardLeases leases;

	private final Injected injected;

	private final Findings findings;

	Refusals(ShardLeases leases, Injected injected, Findings findings) {
		this.leases = leases;
		this.injected = injected;
		this.findings = findings;
	}

	void judge(List<AuditEvent> events) {
		for (AuditEvent event : events) {
			String subject = (event.code() == FORBIDDEN) ? subject(event) : null;
			if (subject != null && this.injected
				.disturbed(Set.of(subject, Injected.subject(event.user())), event.received(),
						event.completed().plusNanos(1))
				.isZero()) {
				this.findings.add(Counter.FORBIDDEN, event.received(), event + ": it may not");
			}
		}
	}

	/**
	 * Who asked, null if that is nobody of ours, or of another ring alone. A sharder is
	 * of all rings, and who waits for its first slot may be of any.
	 */
	private @Nullable String subject(AuditEvent event) {
		String shard = event.shard();
		if (shard != null) {
			return this.leases.isOfAnother(shard) ? null : shard;
		}
		return event.bySharder() ? Mark.SHARDER : null;
	}

}
