package dev.sharding.josdk;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.client.ApiException;
import dev.sharding.shard.Shard;
import dev.sharding.shard.ShardWork;

/**
 * Runs an operator in each term of the shard's Lease.
 */
final class OperatorWork implements ShardWork {

	private static final Logger logger = LoggerFactory.getLogger(OperatorWork.class);

	private static final Duration AFTER_INTERRUPT = Duration.ofMillis(400);

	private final Shard shard;

	private final KubernetesClient client;

	private final ControlledStamp stamp;

	private final ShardObjects objects;

	private final Supplier<SdkOperator> operators;

	private final List<MeterRegistry> meters;

	/** Made at the start of the application, so that mistakes end that. */
	private @Nullable SdkOperator next;

	private @Nullable SdkOperator running;

	/**
	 * Creates the work, and the operator of the first term.
	 * @param shard the shard
	 * @param client asks for the ring
	 * @param stamp labels what is written
	 * @param objects the main objects of the shard
	 * @param operators makes an operator for each term
	 * @param meters where the operators measure
	 * @param looksEarly whether to look at the ring at once
	 * @throws OperatorSetupException if the operator could not be sharded
	 */
	OperatorWork(Shard shard, KubernetesClient client, ControlledStamp stamp, ShardObjects objects,
			Supplier<SdkOperator> operators, List<MeterRegistry> meters, boolean looksEarly) {
		this.shard = shard;
		this.client = client;
		this.stamp = stamp;
		this.objects = objects;
		this.operators = operators;
		this.meters = meters;
		SdkOperator first = operators.get();
		first.types().forEach(objects::follow);
		if (looksEarly) {
			lookEarly(first);
		}
		// With slots, the name of the shard that its informers select by is not known
		// yet.
		this.next = shard.slots().isPresent() ? null : first;
		forgetMeters();
		shard.add(this);
	}

	/* What is there may be wrong already; what is not may come later. */
	private void lookEarly(SdkOperator first) {
		try {
			first.narrow(RingResources.read(this.client, this.shard.ring()));
		}
		catch (ApiException ex) {
			logger.debug("The ring cannot be read yet ring={}", this.shard.ring(), ex);
		}
	}

	@Override
	public void begin() {
		RingResources ring = RingResources.read(this.client, this.shard.ring());
		SdkOperator operator = (this.next != null) ? this.next : this.operators.get();
		this.next = null;
		this.running = operator;
		operator.narrow(ring);
		this.stamp.follow(ring, this.objects.types());
		this.objects.begin();
		operator.start();
	}

	@Override
	public void end() {
		this.objects.end();
		SdkOperator operator = this.running;
		if (operator != null) {
			// While it runs, as without it the caches of the reconciles are empty.
			if (!isIdleWithin(operator.patience())) {
				logger.warn("Interrupting reconciles that have not ended in time");
			}
			operator.stop();
			this.running = null;
		}
		boolean idle = isIdleWithin(AFTER_INTERRUPT);
		// The shard interrupts once, and may lose its patience as late as here.
		if (!idle && !isIdleWithin(AFTER_INTERRUPT)) {
			throw new IllegalStateException("Reconciles have not ended, though they were interrupted");
		}
		forgetMeters();
	}

	private boolean isIdleWithin(Duration patience) {
		try {
			return this.objects.awaitIdle(patience);
		}
		catch (InterruptedException ex) {
			logger.debug("The shard waits for reconciles no longer", ex);
			return false;
		}
	}

	/*
	 * Each operator has numbers of its own behind its gauges, and with slots the next one
	 * measures for another shard: a meter that is still known keeps what it had first.
	 */
	private void forgetMeters() {
		if (this.next == null) {
			this.meters.forEach(OperatorMeterFilter::forget);
		}
	}

	@Override
	public String toString() {
		return "operator";
	}

}
