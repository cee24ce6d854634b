package dev.sharding.internal.kubernetes.fence;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.fence.ClaimLaw.Claimed;
import dev.sharding.internal.core.fence.FenceDecision;
import dev.sharding.internal.core.fence.FenceGate;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.kubernetes.lease.LeaseTerm;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;
import dev.sharding.shard.WriteFencedException;

/**
 * The guard of a shard's writes: each of them passes the Lease gate and the object gate
 * when it is sent, and again when its first byte goes out. Reads pass freely. Safe for
 * use by many threads.
 */
public final class WriteFence implements RequestGuard {

	private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");

	private final String name;

	private final Supplier<@Nullable LeaseTerm> lease;

	private final Supplier<Moment> now;

	private final FenceLaw law;

	private final @Nullable Subjects subjects;

	private final @Nullable SentWrites sent;

	private final Map<FenceGate, Counter> refused = new EnumMap<>(FenceGate.class);

	private WriteFence(String name, Supplier<@Nullable LeaseTerm> lease, Supplier<Moment> now, FenceLaw law,
			MeterRegistry meters, @Nullable Subjects subjects, @Nullable SentWrites sent) {
		this.sent = sent;
		this.name = name;
		this.lease = lease;
		this.now = now;
		this.law = law;
		this.subjects = subjects;
		for (FenceGate gate : FenceGate.values()) {
			this.refused.put(gate,
					Counter.builder("sharding.fence.refused")
						.description("Writes that were not sent because the shard may not write for the object")
						.tag("ring", name)
						.tag("gate", gate.name().toLowerCase(Locale.ROOT))
						.register(meters));
		}
	}

	/**
	 * A fence with both gates.
	 * @param ring the name of the ControllerRing
	 * @param lease reads the term of the shard's Lease, {@code null} while it is not held
	 * @param now reads the clocks of the Lease
	 * @param law decides
	 * @param meters where to count refusals
	 * @param claims the claims of the shard
	 * @param cached finds an object in the caches, for the owners of one that is written
	 * without naming them
	 * @param sent counts what is sent
	 * @return the fence
	 */
	public static WriteFence ofShard(String ring, Supplier<@Nullable LeaseTerm> lease, Supplier<Moment> now,
			FenceLaw law, MeterRegistry meters, Claims claims,
			BiFunction<GroupResource, ObjectKey, @Nullable HasMetadata> cached, SentWrites sent) {
		return new WriteFence(ring, lease, now, law, meters, new Subjects(claims, cached), sent);
	}

	/**
	 * A fence with the Lease gate only, for whoever acts alone while holding a Lease, or
	 * has not begun to reconcile.
	 * @param name names the Lease in messages and metrics
	 * @param lease reads the term of the Lease, {@code null} while it is not held
	 * @param now reads the clocks of the Lease
	 * @param law decides
	 * @param meters where to count refusals
	 * @return the fence
	 */
	public static WriteFence ofLease(String name, Supplier<@Nullable LeaseTerm> lease, Supplier<Moment> now,
			FenceLaw law, MeterRegistry meters) {
		return new WriteFence(name, lease, now, law, meters, null, null);
	}

	@Override
	public @Nullable Runnable admit(ApiRequest request) {
		if (READS.contains(request.method())) {
			return null;
		}
		ClaimScope.Work work = ClaimScope.current();
		List<Claim> concerned = (this.subjects != null) ? this.subjects.of(request) : List.of();
		Runnable check = () -> check(request, work, concerned);
		check.run();
		return check;
	}

	@Override
	public Consumer<Boolean> sending(ApiRequest request) {
		return (this.sent != null) ? this.sent.sending() : RequestGuard.super.sending(request);
	}

	private void check(ApiRequest request, ClaimScope.@Nullable Work work, List<Claim> concerned) {
		Moment moment = this.now.get();
		if (this.law.lease(this.lease.get(), moment) instanceof FenceDecision.Refused refusal) {
			throw refuse(request, refusal, (refusal.late().isZero())
					? "the Lease of %s is not held".formatted(this.name)
					: "the Lease of %s could not be proven for %d ms".formatted(this.name, refusal.late().toMillis()));
		}
		List<Claimed> states = new ArrayList<>(concerned.size());
		concerned.forEach((claim) -> states.add(claim.at(moment)));
		Claimed own = (work != null) ? work.claim().at(moment) : null;
		boolean acknowledging = work != null && work.acknowledging();
		if (this.law.object(own, states, acknowledging) instanceof FenceDecision.Refused refusal) {
			throw refuse(request, refusal,
					"no claim on %s%s".formatted((work != null && own != null && !acknowledging && concerned.isEmpty())
							? work.claim() : concerned.isEmpty() ? "its object" : concerned.get(0),
							ago(refusal.late())));
		}
	}

	private WriteFencedException refuse(ApiRequest request, FenceDecision.Refused refusal, String reason) {
		Objects.requireNonNull(this.refused.get(refusal.gate())).increment();
		return new WriteFencedException(refusal.gate(), refusal.late(),
				"Refused to %s: %s".formatted(request.description(), reason));
	}

	private static String ago(Duration late) {
		return late.isZero() ? "" : " (it ended %d ms ago)".formatted(late.toMillis());
	}

}
