package dev.sharding.internal.kubernetes.informer;

import java.io.InputStream;
import java.util.concurrent.atomic.AtomicInteger;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/** Counts the objects that are parsed, those included that do not fit. */
public final class CountingSerialization extends KubernetesSerialization {

	private final AtomicInteger objects = new AtomicInteger();

	@Override
	public <T> T unmarshal(InputStream stream, Class<T> type) {
		if (HasMetadata.class.isAssignableFrom(type) && type != PartialObjectMetadata.class) {
			this.objects.incrementAndGet();
		}
		return super.unmarshal(stream, type);
	}

	/** How many there were since the last call. */
	public int parsed() {
		return this.objects.getAndSet(0);
	}

}
