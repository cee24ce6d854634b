package dev.sharding.controller;

import java.util.Map;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.ObservationRegistry;

import dev.sharding.internal.core.Internal;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;

/**
 * One reconcile as observations see it, named {@value #NAME}. Low in cardinality are
 * {@code controller}, {@code ring}, {@code shard}, {@code trigger} and {@code result},
 * high is {@code key}, which therefore is in traces and not in metrics.
 */
public final class ReconcileContext extends Observation.Context {

	/** The name of the observation. */
	public static final String NAME = "sharding.reconcile";

	/**
	 * What stands for the ring of a controller that has none. No ring can be called so,
	 * as it has a capital letter.
	 */
	public static final String NO_RING = "noRing";

	private static final String NO_SHARD = "none";

	private static final Convention CONVENTION = new Convention();

	private final String controller;

	private final String ring;

	private final String shard;

	private final GroupResource resource;

	private final ObjectKey key;

	private final Trigger trigger;

	private volatile String result = "unknown";

	@Internal
	public ReconcileContext(String controller, Map<String, String> names, GroupResource resource, ObjectKey key,
			Trigger trigger) {
		this.controller = controller;
		this.ring = names.getOrDefault("ring", NO_RING);
		this.shard = names.getOrDefault("shard", NO_SHARD);
		this.resource = resource;
		this.key = key;
		this.trigger = trigger;
	}

	/**
	 * Begins an observation of this reconcile, which costs nothing if nobody observes.
	 */
	@Internal
	public Observation observe(ObservationRegistry registry) {
		return Observation.createNotStarted(CONVENTION, () -> this, registry);
	}

	@Internal
	public void result(String text) {
		this.result = text;
	}

	/**
	 * The resource of the object.
	 * @return group and plural
	 */
	public GroupResource resource() {
		return this.resource;
	}

	/**
	 * The object.
	 * @return its key
	 */
	public ObjectKey key() {
		return this.key;
	}

	/**
	 * Why it is reconciled.
	 * @return the reason
	 */
	public Trigger trigger() {
		return this.trigger;
	}

	/**
	 * What came of it.
	 * @return {@code success}, {@code error}, {@code requeue}, {@code requeue_after},
	 * {@code fenced}, or {@code unknown} as long as it runs
	 */
	public String result() {
		return this.result;
	}

	private static final class Convention implements ObservationConvention<ReconcileContext> {

		@Override
		public String getName() {
			return NAME;
		}

		@Override
		public String getContextualName(ReconcileContext context) {
			return "reconcile " + context.controller;
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof ReconcileContext;
		}

		@Override
		public KeyValues getLowCardinalityKeyValues(ReconcileContext context) {
			return KeyValues.of(KeyValue.of("controller", context.controller), KeyValue.of("ring", context.ring),
					KeyValue.of("shard", context.shard), KeyValue.of("trigger", context.trigger.label()),
					KeyValue.of("result", context.result));
		}

		@Override
		public KeyValues getHighCardinalityKeyValues(ReconcileContext context) {
			return KeyValues.of("key", context.resource + "/" + context.key);
		}

	}

}
