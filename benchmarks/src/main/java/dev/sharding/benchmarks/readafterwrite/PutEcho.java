package dev.sharding.benchmarks.readafterwrite;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import dev.sharding.internal.core.overlay.Emission;
import dev.sharding.internal.core.overlay.ObjectAccess;
import dev.sharding.internal.core.overlay.ObservedEvent;
import dev.sharding.internal.core.overlay.Overlay;
import dev.sharding.internal.core.overlay.OverlayLimits;
import dev.sharding.internal.core.overlay.OwnChange;
import dev.sharding.internal.core.overlay.OwnWrite;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * One update through the overlay: sent, answered, its echo seen.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PutEcho {

	static final ObjectAccess<ObjectKey, ConfigMap> ACCESS = new ObjectAccess<>() {

		@Override
		public ObjectKey key(ConfigMap object) {
			return ObjectKey.of(object);
		}

		@Override
		public String uid(ConfigMap object) {
			return object.getMetadata().getUid();
		}

		@Override
		public @Nullable String version(ConfigMap object) {
			return object.getMetadata().getResourceVersion();
		}

		@Override
		public boolean exists(ConfigMap object) {
			return object.getMetadata().getDeletionTimestamp() == null;
		}

		@Override
		public boolean inScope(ConfigMap object) {
			return true;
		}

	};

	private final Overlay<ObjectKey, ConfigMap> overlay = new Overlay<>(ACCESS, OverlayLimits.defaults());

	private final Object lock = new Object();

	private ConfigMap before = object("object", "100000");

	private ConfigMap after = object("object", "100001");

	private long version = 100_001;

	@Benchmark
	public List<Emission<ConfigMap>> putEcho() {
		List<Emission<ConfigMap>> emitted;
		String base = Objects.requireNonNull(ACCESS.version(this.before));
		ObjectKey key = ObjectKey.of(this.before);
		long write;
		synchronized (this.lock) {
			write = this.overlay.sent(new OwnWrite.Update<>("writer", key, base, OwnChange.unknown()), this.version);
		}
		synchronized (this.lock) {
			this.overlay.returned(write, this.after, this.version);
		}
		synchronized (this.lock) {
			emitted = this.overlay.event(new ObservedEvent.Updated<>(this.before, this.after), this.version);
		}
		ConfigMap seen = this.after;
		this.after = this.before;
		this.before = seen;
		this.after.getMetadata().setResourceVersion(Long.toString(++this.version));
		return emitted;
	}

	static ConfigMap object(String name, String version) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace("default")
			.withName(name)
			.withUid("uid-" + name)
			.withResourceVersion(version)
			.endMetadata()
			.build();
	}

}
