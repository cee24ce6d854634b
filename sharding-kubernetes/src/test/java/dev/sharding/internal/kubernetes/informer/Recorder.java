package dev.sharding.internal.kubernetes.informer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.InformerHandler;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.HasMetadata;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Remembers events and follows what they say: each must lead from the state that the ones
 * before it have led to.
 */
public final class Recorder<T extends HasMetadata> implements InformerHandler<T> {

	private final List<InformerEvent<T>> events = new ArrayList<>();

	private final Map<ObjectKey, T> state = new HashMap<>();

	@Override
	public synchronized void onEvent(InformerEvent<T> event) {
		this.events.add(event);
		if (event instanceof InformerEvent.Added<T> added) {
			assertThat(this.state.put(ObjectKey.of(added.object()), added.object())).isNull();
		}
		else if (event instanceof InformerEvent.Updated<T> updated) {
			assertThat(updated.after().getMetadata().getUid()).isEqualTo(updated.before().getMetadata().getUid());
			assertThat(this.state.put(ObjectKey.of(updated.after()), updated.after())).isSameAs(updated.before());
		}
		else if (event instanceof InformerEvent.Removed<T> removed) {
			assertThat(this.state.remove(ObjectKey.of(removed.last()))).isNotNull();
		}
	}

	public synchronized List<InformerEvent<T>> events() {
		return List.copyOf(this.events);
	}

	public synchronized <E> List<E> events(Class<E> type) {
		return this.events.stream().filter(type::isInstance).map(type::cast).toList();
	}

	public synchronized Map<ObjectKey, T> state() {
		return Map.copyOf(this.state);
	}

	/** What happened, in words: "added a", "updated a", "removed a". */
	public synchronized List<String> words() {
		List<String> words = new ArrayList<>();
		for (InformerEvent<T> event : this.events) {
			if (event instanceof InformerEvent.Added<T> added) {
				words.add("added " + added.object().getMetadata().getName());
			}
			else if (event instanceof InformerEvent.Updated<T> updated) {
				words.add("updated " + updated.after().getMetadata().getName());
			}
			else if (event instanceof InformerEvent.Removed<T> removed) {
				words.add("removed " + removed.last().getMetadata().getName());
			}
			else if (event instanceof InformerEvent.Undecodable<T> undecodable) {
				words.add("undecodable " + undecodable.metadata().getName());
			}
		}
		return words;
	}

}
