package dev.sharding.internal.autoconfigure.runtime;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Matches unless there is a bean of a type, those of further rings left aside: they do
 * not take the place of what belongs to the application's ring.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Conditional(OnMissingMainBeanCondition.class)
public @interface ConditionalOnMissingMainBean {

	/** The type. */
	Class<?> value();

}
