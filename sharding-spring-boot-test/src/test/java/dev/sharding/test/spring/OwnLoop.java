package dev.sharding.test.spring;

import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import org.springframework.stereotype.Component;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.ResourceCache;
import dev.sharding.protocol.Responsibility;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.Shard;
import dev.sharding.shard.ShardWork;

/** One thread that works through a queue of keys: no two reconciles at a time. */
@Component
class OwnLoop implements ShardWork {

	private static final ResourceType<Secret> SECRETS = ResourceType.of(Secret.class);

	private static final ObjectKey STOP = new ObjectKey("", "");

	private final BlockingQueue<ObjectKey> queue = new LinkedBlockingQueue<>();

	private final Shard shard;

	private final ResourceCache<Secret> secrets;

	private final ResourceCache<ConfigMap> configMaps;

	private Thread thread;

	OwnLoop(Shard shard) {
		this.shard = shard;
		this.secrets = shard.follow(SECRETS, (event) -> {
			if (event instanceof InformerEvent.Added<Secret> added) {
				this.queue.add(ObjectKey.of(added.object()));
			}
			else if (event instanceof InformerEvent.Updated<Secret> updated) {
				this.queue.add(ObjectKey.of(updated.after()));
			}
		});
		this.configMaps = shard.followControlled(ResourceType.of(ConfigMap.class), (event) -> {
			if (event instanceof InformerEvent.Removed<ConfigMap> removed) {
				this.queue.add(ObjectKey.of(removed.last()));
			}
		});
		shard.add(this);
	}

	@Override
	public void begin() {
		// What came before this term is in the cache.
		this.queue.clear();
		this.secrets.list().forEach((secret) -> this.queue.add(ObjectKey.of(secret)));
		this.thread = new Thread(this::work, "own-loop");
		this.thread.start();
	}

	@Override
	public void end() throws InterruptedException {
		if (this.thread != null) {
			this.queue.add(STOP);
			this.thread.join();
			this.thread = null;
		}
	}

	private void work() {
		for (ObjectKey key = next(); !key.equals(STOP); key = next()) {
			try {
				work(key);
			}
			catch (RuntimeException ex) {
				this.queue.add(key);
			}
		}
	}

	private ObjectKey next() {
		try {
			return this.queue.take();
		}
		catch (InterruptedException ex) {
			return STOP;
		}
	}

	private void work(ObjectKey key) {
		Optional<Secret> found = this.secrets.get(key, Freshness.READ_YOUR_WRITES);
		if (found.isEmpty()) {
			return;
		}
		Secret secret = found.get();
		switch (responsibility(secret)) {
			case RECONCILE -> reconcile(secret);
			case ACKNOWLEDGE_DRAIN -> {
				if (!this.shard.drains().acknowledge(SECRETS, secret)) {
					this.queue.add(key);
				}
			}
			case NOT_MINE -> {
			}
		}
	}

	private Responsibility responsibility(HasMetadata object) {
		return Responsibility.of(object.getMetadata().getLabels(), this.shard.ring(), this.shard.name());
	}

	private void reconcile(Secret secret) {
		if (this.configMaps.get(secret.getMetadata().getNamespace(), secret.getMetadata().getName()).isEmpty()) {
			this.configMaps.create(CopyApplication.note(secret, this.shard.name()));
		}
	}

}
