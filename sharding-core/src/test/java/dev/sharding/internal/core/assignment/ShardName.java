package dev.sharding.internal.core.assignment;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;

/**
 * A shard name, short enough that token collisions happen.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.TYPE_USE, ElementType.PARAMETER, ElementType.ANNOTATION_TYPE })
@CharRange(from = '0', to = '9')
@CharRange(from = 'a', to = 'c')
@StringLength(min = 1, max = 3)
@interface ShardName {

}
