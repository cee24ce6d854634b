package dev.sharding.internal.kubernetes.cache.read;

import java.util.ArrayList;
import java.util.List;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.ListOptions;
import dev.sharding.internal.kubernetes.cache.check.ListedView;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What belongs to an owner is found without looking at what does not.
 */
class ControlledByTests {

	private final List<ConfigMap> all = new ArrayList<>();

	private final ObjectCopier copier = new ObjectCopier(new KubernetesSerialization());

	@Test
	void looksAtTheChildrenOfTheOwnerOnly() {
		for (int owner = 0; owner < 1_000; owner++) {
			this.all.add(child("a", owner));
			this.all.add(child("b", owner));
		}
		Counted view = new Counted(
				new ListedView<>(this.all, List.of(), "5", InformerSpec.of(ResourceType.of(ConfigMap.class))
					.withIndex(ControllerOwner.INDEX, ControllerOwner::uids)));
		ListOptions options = ListOptions.all().inNamespace("a").controlledBy(owner(7));
		assertThat(CacheLists.selected(view, options, this.copier)).containsExactly(child("a", 7));
		assertThat(view.handedOut).as("the children of one owner").isEqualTo(2);
		assertThat(CacheLists.selected(view, ListOptions.all().controlledBy(owner(1_001)), this.copier)).isEmpty();
	}

	private static ConfigMap owner(int number) {
		return new ConfigMapBuilder().withNewMetadata().withUid("owner-" + number).endMetadata().build();
	}

	private static ConfigMap child(String namespace, int owner) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(namespace)
			.withName("child-" + owner)
			.withOwnerReferences(new OwnerReferenceBuilder().withUid("other").build(),
					new OwnerReferenceBuilder().withUid("owner-" + owner).withController(true).build())
			.endMetadata()
			.build();
	}

	/** Counts the objects that it hands out. */
	private static final class Counted implements StoreView<ConfigMap> {

		private final StoreView<ConfigMap> view;

		private int handedOut;

		Counted(StoreView<ConfigMap> view) {
			this.view = view;
		}

		private List<ConfigMap> counted(List<ConfigMap> objects) {
			this.handedOut += objects.size();
			return objects;
		}

		@Override
		public @Nullable ConfigMap get(ObjectKey key) {
			return this.view.get(key);
		}

		@Override
		public List<ConfigMap> list() {
			return counted(this.view.list());
		}

		@Override
		public List<ConfigMap> list(String namespace) {
			return counted(this.view.list(namespace));
		}

		@Override
		public List<ConfigMap> byIndex(String index, String value) {
			return counted(this.view.byIndex(index, value));
		}

		@Override
		public int size() {
			return this.view.size();
		}

		@Override
		public List<ObjectMeta> undecodable() {
			return this.view.undecodable();
		}

		@Override
		public @Nullable ObjectMeta undecodable(ObjectKey key) {
			return this.view.undecodable(key);
		}

		@Override
		public @Nullable String watermark() {
			return this.view.watermark();
		}

		@Override
		public @Nullable String watermark(String namespace) {
			return this.view.watermark(namespace);
		}

	}

}
