package dev.sharding.internal.kubernetes.reconcile;

import java.util.Objects;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.sharding.controller.EventFilter;

/**
 * The filters that are ours, and so may run on any thread.
 */
public enum KnownFilter implements EventFilter<HasMetadata> {

	/** Every change. */
	ALL {

		@Override
		public boolean accepts(HasMetadata before, HasMetadata after) {
			return true;
		}

	},

	/** Changes of the specification. */
	GENERATION_CHANGED {

		@Override
		public boolean accepts(HasMetadata before, HasMetadata after) {
			return after.getMetadata().getGeneration() == null
					|| !Objects.equals(before.getMetadata().getGeneration(), after.getMetadata().getGeneration())
					|| (before.getMetadata().getDeletionTimestamp() == null
							&& after.getMetadata().getDeletionTimestamp() != null);
		}

	};

	/* No filter of ours looks at more than the metadata. */
	@SuppressWarnings("unchecked")
	public <T extends HasMetadata> EventFilter<T> cast() {
		return (EventFilter<T>) (EventFilter<?>) this;
	}

}
