package dev.sharding.controller;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.springframework.core.annotation.AliasFor;
import org.springframework.stereotype.Component;

/**
 * Marks a {@link dev.sharding.controller.Reconciler} that reconciles all objects of its
 * main resource, outside any ring: in the elected replica only, or in all of them if
 * {@code sharding.leader-election.enabled} is {@code false}. The main resource is the
 * type argument of {@code Reconciler}. For it and for each resource in {@link #owns}
 * there is a bean of type {@code ResourceCache}. Of a resource that a
 * {@link ShardedController} declares as well, an unqualified one holds the share of the
 * shard, and one with {@code @Qualifier("noRing")} holds everything.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Component
public @interface LeaderElectedController {

	/**
	 * The name of the bean, which is also the name of the controller in logs and metrics.
	 * @return the name; empty for a name derived from the class
	 */
	@AliasFor(annotation = Component.class)
	String value() default "";

	/**
	 * The controlled resources: those that the reconciler creates for a main object, with
	 * a controller reference to it.
	 * @return the classes of the controlled resources
	 */
	Class<? extends HasMetadata>[] owns() default {};

	/**
	 * Reconciles only after changes of the specification, as counted in
	 * {@code metadata.generation}, not after changes of the status or of metadata.
	 * @return whether to look at the generation
	 */
	boolean specChangesOnly() default false;

	/**
	 * How many objects are reconciled at a time.
	 * @return the number; 0 for {@code sharding.reconcile.concurrency}
	 */
	int concurrency() default 0;

}
