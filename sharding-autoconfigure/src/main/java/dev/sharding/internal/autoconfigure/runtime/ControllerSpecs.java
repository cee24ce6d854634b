package dev.sharding.internal.autoconfigure.runtime;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.LeaderElectedController;
import dev.sharding.controller.ShardedController;
import dev.sharding.internal.autoconfigure.settings.RingNames;
import dev.sharding.shard.ShardWork;

/**
 * Finds the controllers of a ring among those of the application: of the beans annotated
 * with {@link ShardedController} or {@link LeaderElectedController}, and of those that
 * are a {@link ControllerSpec} already, which are sharded, in the ring that a
 * {@link Qualifier} on them names.
 */
public final class ControllerSpecs {

	private final ConfigurableListableBeanFactory factory;

	private final RingNames rings;

	private final MadeControllers controllers;

	public ControllerSpecs(ConfigurableListableBeanFactory factory, RingNames rings, MadeControllers controllers) {
		this.factory = factory;
		this.rings = rings;
		this.controllers = controllers;
	}

	/** The controllers outside any ring. */
	List<ControllerSpec<?>> leaderElected() {
		return of(null);
	}

	/** The controllers of a ring. */
	List<ControllerSpec<?>> sharded(String ring) {
		return of(ring);
	}

	/** Makes what adds itself to its shard, where beans are made late. */
	void makeWork() {
		this.factory.getBeansOfType(ShardWork.class, false, true);
	}

	private List<ControllerSpec<?>> of(@Nullable String ring) {
		Map<String, ControllerBeans.Declared> declared = new HashMap<>();
		ControllerBeans.find(this.factory, this.rings).forEach((it) -> declared.put(it.beanName(), it));
		List<ControllerSpec<?>> specs = new ArrayList<>();
		this.controllers.all().forEach((bean, spec) -> {
			ControllerBeans.Declared annotated = declared.get(bean);
			if (Objects.equals((annotated != null) ? annotated.ring() : ringOfSpec(bean), ring)) {
				specs.add(spec);
			}
		});
		return specs;
	}

	private @Nullable String ringOfSpec(String bean) {
		Qualifier qualifier = this.factory.findAnnotationOnBean(bean, Qualifier.class);
		return this.rings.of(bean, (qualifier != null) ? qualifier.value() : "");
	}

}
