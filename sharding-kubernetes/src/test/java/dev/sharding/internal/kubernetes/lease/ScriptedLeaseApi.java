package dev.sharding.internal.kubernetes.lease;

import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import org.jspecify.annotations.Nullable;

import dev.sharding.protocol.ShardingLabels;

/**
 * A Lease in memory, with resource versions, and calls that fail when the test says so.
 */
final class ScriptedLeaseApi implements LeaseApi {

	private final Deque<LeaseApiException> failures = new ArrayDeque<>();

	private final List<String> calls = new ArrayList<>();

	private final Deque<LeaseApiException> failedUpdates = new ArrayDeque<>();

	private @Nullable LeaseApiException outage;

	private @Nullable Lease stored;

	private @Nullable Lease nextRead;

	private int version;

	@Override
	public @Nullable Lease get() {
		called("get");
		Lease scripted = this.nextRead;
		this.nextRead = null;
		if (scripted != null) {
			return scripted;
		}
		return (this.stored != null) ? new LeaseBuilder(this.stored).build() : null;
	}

	@Override
	public Lease create(Lease lease) {
		called("create");
		if (this.stored != null) {
			throw new LeaseApiException(409, "AlreadyExists", null);
		}
		return store(lease);
	}

	@Override
	public Lease update(Lease lease) {
		called("update");
		if (!this.failedUpdates.isEmpty()) {
			throw this.failedUpdates.remove();
		}
		if (this.stored == null) {
			throw new LeaseApiException(404, "NotFound", null);
		}
		if (!this.stored.getMetadata().getResourceVersion().equals(lease.getMetadata().getResourceVersion())) {
			throw new LeaseApiException(409, "Conflict", null);
		}
		return store(lease);
	}

	/** The next call fails with this status; 0 means that nothing came back. */
	void failNext(int status) {
		this.failures.add(new LeaseApiException(status, "scripted", null));
	}

	/** The next updates fail with this status. */
	void failUpdates(int count, int status) {
		for (int i = 0; i < count; i++) {
			this.failedUpdates.add(new LeaseApiException(status, "scripted", null));
		}
	}

	/** The next read gets this. */
	void answerNextRead(Lease lease) {
		this.nextRead = lease;
	}

	/** All calls fail until {@link #recover()}. */
	void failAll(int status) {
		this.outage = new LeaseApiException(status, "scripted", null);
	}

	void recover() {
		this.outage = null;
	}

	/** Somebody else writes the Lease. */
	void edit(UnaryOperator<LeaseBuilder> change) {
		store(change.apply((this.stored != null) ? new LeaseBuilder(this.stored) : new LeaseBuilder()).build());
	}

	void delete() {
		this.stored = null;
	}

	Lease lease() {
		if (this.stored == null) {
			throw new AssertionError("There is no Lease");
		}
		return this.stored;
	}

	boolean exists() {
		return this.stored != null;
	}

	/** The calls since the last time this was asked, in order. */
	List<String> takeCalls() {
		List<String> taken = List.copyOf(this.calls);
		this.calls.clear();
		return taken;
	}

	private void called(String call) {
		this.calls.add(call);
		LeaseApiException failure = (this.outage != null) ? this.outage : this.failures.poll();
		if (failure != null) {
			throw failure;
		}
	}

	private Lease store(Lease lease) {
		this.stored = new LeaseBuilder(lease).editMetadata()
			.withResourceVersion(Integer.toString(++this.version))
			.endMetadata()
			.build();
		return new LeaseBuilder(this.stored).build();
	}

	LeaseSpec spec() {
		return lease().getSpec();
	}

	Map<String, String> labels() {
		return lease().getMetadata().getLabels();
	}

	Map<String, String> annotations() {
		return lease().getMetadata().getAnnotations();
	}

	/** Somebody else acquires or renews the Lease. */
	void takenBy(ManualTime time, String holder, int duration, @Nullable String instance) {
		ZonedDateTime now = time.wall().atZone(ZoneOffset.UTC);
		edit((lease) -> {
			LeaseBuilder edited = lease.editOrNewMetadata()
				.withNamespace("default")
				.withName("shard-1")
				.endMetadata()
				.editOrNewSpec()
				.withHolderIdentity(holder)
				.withLeaseDurationSeconds(duration)
				.withAcquireTime(now)
				.withRenewTime(now)
				.withLeaseTransitions(4)
				.endSpec();
			return (instance != null)
					? edited.editMetadata().addToAnnotations(ShardingLabels.INSTANCE_ID, instance).endMetadata()
					: edited;
		});
	}

}
