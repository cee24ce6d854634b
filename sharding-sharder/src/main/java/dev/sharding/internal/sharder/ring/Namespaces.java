package dev.sharding.internal.sharder.ring;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import dev.sharding.cache.InformerEvent;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

/**
 * The labels of all namespaces, and nothing else of them, watched from the first time
 * that a ring asks for them.
 */
public final class Namespaces implements AutoCloseable {

	private final Informer<PartialObjectMetadata> informer;

	private final AtomicBoolean started = new AtomicBoolean();

	/**
	 * Prepares the watch.
	 * @param client the API server
	 * @param changed told of each namespace that is new or has other labels, once these
	 * can be asked for
	 */
	public Namespaces(KubernetesClient client, Consumer<NamespaceChange> changed) {
		this.informer = new Informer<>(client,
				InformerSpec.of(ResourceType.of(Namespace.class).metadata()).trimmed(Namespaces::trim));
		this.informer.addHandler((event) -> {
			NamespaceChange change = change(event);
			if (change != null) {
				changed.accept(change);
			}
		});
	}

	/**
	 * Starts the watch unless it was started before.
	 * @return completes once all namespaces are known
	 */
	public CompletableFuture<Void> start() {
		if (this.started.compareAndSet(false, true)) {
			this.informer.start();
		}
		return this.informer.synced();
	}

	/**
	 * Returns the labels of a namespace.
	 * @param name its name
	 * @return the labels, or {@code null} if there is no such namespace
	 */
	public @Nullable Map<String, String> labels(String name) {
		PartialObjectMetadata namespace = this.informer.store().get(new ObjectKey("", name));
		return (namespace != null) ? labels(namespace) : null;
	}

	/**
	 * Returns why the namespaces are not known.
	 * @return the last failure of the watch
	 */
	public String error() {
		String error = this.informer.status().lastError();
		return (error != null) ? error : "not listed yet";
	}

	@Override
	public void close() {
		this.informer.close();
	}

	/*
	 * Anybody who may make namespaces may hang a quarter of a MiB of annotations on each.
	 */
	static void trim(PartialObjectMetadata namespace) {
		ObjectMeta metadata = namespace.getMetadata();
		metadata.setAnnotations(null);
		metadata.setFinalizers(List.of());
		metadata.setOwnerReferences(List.of());
	}

	private static @Nullable NamespaceChange change(InformerEvent<PartialObjectMetadata> event) {
		if (event instanceof InformerEvent.Added<PartialObjectMetadata> added && !added.initial()) {
			return change(null, added.object());
		}
		if (event instanceof InformerEvent.Updated<PartialObjectMetadata> updated) {
			// What was in one of that name before is gone.
			boolean same = updated.before().getMetadata().getUid().equals(updated.after().getMetadata().getUid());
			Map<String, String> before = same ? labels(updated.before()) : null;
			return labels(updated.after()).equals(before) ? null : change(before, updated.after());
		}
		return null;
	}

	private static NamespaceChange change(@Nullable Map<String, String> before, PartialObjectMetadata after) {
		return new NamespaceChange(after.getMetadata().getName(), before, labels(after));
	}

	private static Map<String, String> labels(PartialObjectMetadata namespace) {
		Map<String, String> labels = namespace.getMetadata().getLabels();
		return (labels != null) ? labels : Map.of();
	}

}
