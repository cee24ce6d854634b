package dev.sharding.internal.kubernetes.informer.store;

import java.util.Map;

import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * What lists and watches tell a store of one part, for tests of those who read it.
 */
public final class Told {

	private Told() {
	}

	/** A watch shows an object. */
	public static <T extends HasMetadata> void byWatch(Store<T> store, T object) {
		store.parts().get(0).put(object);
	}

	/** A list shows one object and nothing else. */
	public static <T extends HasMetadata> void byList(Store<T> store, T object) {
		StorePart<T> part = store.parts().get(0);
		part.relistStarted();
		part.replace(new ListResult<>(Map.of(ObjectKey.of(object), object), Map.of(),
				object.getMetadata().getResourceVersion()));
	}

}
